import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
export const cli = join(project, 'dist', 'cli.js')

/** Builds the command line if a source changed; `npm test` has done so before. */
export async function buildCli(): Promise<void> {
  const { prepare } = await import(/* @vite-ignore */ join(project, 'scripts', 'prepare.mjs'))
  await prepare(project, { dist: 'js' }, { quiet: true })
}

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A home of its own: what the demo trusts is kept there and goes with it. No variable of the machine comes in. */
export interface Home extends Disposable {
  readonly top: string
  readonly env: NodeJS.ProcessEnv
  /** Runs a program in the checkout to its end; `on` some words of it a signal is sent, once. */
  run(program: string, args: readonly string[], on?: { text: string; signal: NodeJS.Signals }): Promise<Ended>
}

export function makeHome(): Home {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-demo-test-')))
  const env = { PATH: process.env.PATH, HOME: top, DESKMATES_STATE: join(top, 'state'), TMPDIR: top }
  return {
    top,
    env,
    async run(program, args, on) {
      const child = spawn(program, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] })
      const said = { stdout: '', stderr: '' }
      let sent = false
      child.stderr.on('data', (chunk) => {
        said.stderr += chunk
      })
      child.stdout.on('data', (chunk) => {
        said.stdout += chunk
        if (on && !sent && said.stdout.includes(on.text)) sent = child.kill(on.signal)
      })
      const [code] = await once(child, 'close')
      return { code, ...said }
    },
    [Symbol.dispose]: () => rmSync(top, { recursive: true, force: true }),
  }
}
