import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isKnown, look, remember } from './fingerprint.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The start of `bin/deskmates`: takes a few milliseconds when `dist` is current, and builds it quietly when it is not. */
export async function open(args) {
  try {
    const sources = look(root)
    if (!isKnown(root, sources)) {
      const { prepare } = await import('./prepare.mjs')
      await prepare(root, { dist: 'js' }, { quiet: true })
      remember(root, sources)
    }
  } catch (error) {
    const { report } = await import('./failure.mjs')
    process.exit(report(error, root))
  }
  await runCli(args)
}

/** Runs the built CLI in this process, so that exit code, signals and streams are its own. */
export async function runCli(args) {
  const cli = join(root, 'dist', 'cli.js')
  if (!existsSync(cli)) {
    console.error(
      'deskmates: this checkout has no command line: src/cli/main.ts is missing. Restore it (git checkout -- .).',
    )
    process.exit(1)
  }
  process.argv = [process.argv[0], cli, ...args]
  await import(pathToFileURL(cli))
}
