import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, sep } from 'node:path'
import { defineConfig, type Rolldown, type UserConfig } from 'tsdown'

// Three builds, chosen by name with --filter and written to a new folder each time by scripts/prepare.mjs. Types are
// built separately because they take seconds and the command does not need them.

const common: UserConfig = {
  format: 'esm',
  platform: 'node',
  target: 'node20',
  fixedExtension: false,
  clean: false,
  // Everything imported is bundled, so that an install is one small package; the two test tools and ripgrep are the user's own.
  deps: { neverBundle: ['vitest', 'fast-check', '@vscode/ripgrep'], onlyBundle: false },
  loader: { '.md': 'text', '.yaml': 'text' },
  checks: { pluginTimings: false },
}

/**
 * What is loaded until the prompt is painted, in two files with all that they import: finding and opening a file takes longer
 * than compiling it. `test/terminal/first-paint.test.ts` lists what must not come into them.
 */
const startGroups = [
  // Those behind the first are small and used by every program: they must not draw the prompt into those.
  {
    name: 'start',
    test: /[\\/](cli[\\/]run-process\.ts|redaction[\\/]plain-text\.ts|team[\\/]wording\.ts|picocolors[\\/]picocolors\.js)$/,
    priority: 2,
  },
  { name: 'painted-prompt', test: /[\\/]terminal[\\/]painted-prompt\.ts$/, priority: 1 },
]

const published = present({ index: 'src/index.ts', testing: 'src/testing/index.ts' })
const runnable = present({
  ...published,
  cli: 'src/cli/main.ts',
  'stdio-bridge': 'src/acp/client/stdio-bridge.ts',
})
const workers = testWorkers()

export default defineConfig(
  [
    {
      ...common,
      name: 'package',
      entry: runnable,
      dts: false,
      // Its index names every component; those that the first frame does not use stay out of its chunk.
      treeshake: { moduleSideEffects: [{ test: /[\\/]pi-tui[\\/]/, sideEffects: false }] },
      outputOptions: { codeSplitting: { groups: startGroups } },
      plugins: [executable('cli.js'), notices('THIRD-PARTY-NOTICES.txt')],
    },
    {
      ...common,
      name: 'types',
      entry: published,
      dts: { emitDtsOnly: true },
      plugins: [withoutVariance()],
    },
    {
      ...common,
      name: 'workers',
      entry: workers,
      outDir: '.build/test',
      dts: false,
    },
  ].filter((config) => Object.keys(config.entry).length > 0),
)

function present(entries: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).filter(([, path]) => existsSync(path)))
}

function testWorkers(): Record<string, string> {
  const folder = 'test/workers'
  if (!existsSync(folder)) return {}
  const sources = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  return Object.fromEntries(sources.map((name) => [basename(name, '.ts'), `${folder}/${name}`]))
}

/** Makes one entry a command, whether or not its source says so itself. */
function executable(fileName: string): Rolldown.Plugin {
  const shebang = '#!/usr/bin/env node\n'
  return {
    name: 'executable',
    renderChunk: (code, chunk) => (chunk.fileName === fileName && !code.startsWith('#!') ? shebang + code : null),
  }
}

/**
 * Takes the variance annotations out of inlined declarations. Those of zod hold only inside its own package: in ours
 * the compiler checks them with `skipLibCheck: false` and refuses five (TS2636). Left out, variance is inferred.
 */
function withoutVariance(): Rolldown.Plugin {
  const annotation = /(?<=[<,]\s*(?:\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/\s*)*)(?:in\s+out|in|out)\s+(?=[A-Z]\w*\b)/g
  return {
    name: 'without-variance',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const output of Object.values(bundle))
          if (output.type === 'chunk' && output.fileName.endsWith('.d.ts'))
            output.code = output.code.replace(annotation, '')
      },
    },
  }
}

/** Puts the licence of every package that ended up in the bundle beside it. */
function notices(fileName: string): Rolldown.Plugin {
  return {
    name: 'notices',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
      const folders = new Set(chunks.flatMap((chunk) => chunk.moduleIds.flatMap(packageFolder)))
      this.emitFile({
        type: 'asset',
        fileName,
        source: [...folders]
          .sort()
          .map(notice)
          .join(`\n${'-'.repeat(80)}\n\n`),
      })
    },
  }
}

function packageFolder(moduleId: string): string[] {
  const marker = `${sep}node_modules${sep}`
  const at = moduleId.lastIndexOf(marker)
  if (at === -1) return []
  const [scopeOrName = '', name = ''] = moduleId.slice(at + marker.length).split(sep)
  return [moduleId.slice(0, at + marker.length) + (scopeOrName.startsWith('@') ? join(scopeOrName, name) : scopeOrName)]
}

function notice(folder: string): string {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = licenceFile(folder) ?? licenceFile(kin(name, folder))
  // Given to the public domain, which asks for nothing; some packages leave the text out.
  if (file === undefined && license === 'Unlicense')
    return `${name} ${version} (${license})\n\nReleased into the public domain by its author.\n`
  // Published without the file; the licence is the same text for every author.
  if (file === undefined && license === 'MIT' && typeof author === 'string')
    return `${name} ${version} (${license})\n\n${mit(author)}`
  if (file === undefined)
    throw new Error(`${name} ${version} (${license}) has no licence file to put into the notices.`)
  return `${name} ${version} (${license})\n\n${readFileSync(file, 'utf8').trim()}\n`
}

function mit(author: string): string {
  const [own, ...rest] = readFileSync('LICENSE', 'utf8').split(/^Copyright .*$/m)
  if (own === undefined || rest.length !== 1) throw new Error('LICENSE is not the MIT licence with one copyright line.')
  return `${own.trim()}\n\nCopyright (c) ${author}${rest[0]!.trimEnd()}\n`
}

function licenceFile(folder: string): string | undefined {
  const name = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  return name && join(folder, name)
}

/** The AI SDK is one repository under one licence; one of its packages was published without the file. */
function kin(name: string, folder: string): string {
  return name === '@ai-sdk/provider-utils' ? join(folder, '..', 'provider') : folder
}
