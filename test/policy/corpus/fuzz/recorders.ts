import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A program that bash really started. */
export interface Started {
  readonly argv: readonly string[]
  readonly cwd: string
  /** Variables that bash, the linker and programs obey, as the program saw them. */
  readonly env: string
}

const WATCHED = [
  'PATH',
  'HOME',
  'BASH_ENV',
  'ENV',
  'PS4',
  'CDPATH',
  'NODE_OPTIONS',
  'GIT_DIR',
  'LD_PRELOAD',
  'A',
  'x',
  'f',
]
/** They start what stands behind them; everything else is only recorded. */
const WRAPPERS = new Set(['env', 'timeout', 'nice', 'xargs', 'bash', 'sh', 'nohup'])
const NAMES =
  'ls cat grep head wc git npm echo sort find sed printf test touch rm evil cp curl id make tail awk tee mkdir mv which ['.split(
    ' ',
  )

/** Makes `bin`, the only folder in PATH, whose programs write down how they were started, and a small workspace. */
export function makeRecordedPlace(dir: string): void {
  program(join(dir, 'bin/.recorder'), recorder('..', `$\{0##*/}`, 'exit 0'))
  for (const name of NAMES) symlinkSync('.recorder', join(dir, 'bin', name))
  for (const name of WRAPPERS) program(join(dir, 'bin', name), recorder('..', name, `exec /usr/bin/${name} "$@"`))
  program(join(dir, 'work/evil/.recorder'), recorder('../..', 'PLANTED', 'exit 0'))
  for (const name of NAMES) symlinkSync('.recorder', join(dir, 'work/evil', name))
  const files = {
    'README.md': 'text\n',
    'src/a.ts': 'a\n',
    a: 'a\n',
    'b.txt': 'b\n',
    '.env': 'e\n',
    'evil.sh': 'touch PWNED\n',
    '-c': '',
    '.git/config': '',
  }
  for (const [path, text] of Object.entries(files)) write(join(dir, 'work', path), text)
  write(join(dir, 'outside/bashrc'), 'b\n')
  write(join(dir, 'home/.bashrc'), 'b\n')
  symlinkSync('../../outside', join(dir, 'work/src/link'))
  symlinkSync('../../outside/bashrc', join(dir, 'work/src/log.txt'))
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function program(path: string, text: string): void {
  write(path, text)
  chmodSync(path, 0o755)
}

/**
 * Fields end with U+001F, entries with a field of U+001E: no line of the grammar holds these. One write each, since the
 * programs of a pipe start at the same time.
 */
function recorder(up: string, name: string, then: string): string {
  const env = WATCHED.map((variable) => `${variable}=\${${variable}-}`).join('|')
  return `#!/bin/sh\nprintf '%s\\037' "$PWD" "${env}" "${name}" "$@" '\u001e' >> "\${0%/*}/${up}/calls"\n${then}\n`
}

export function startedIn(dir: string): Started[] {
  const log = join(dir, 'calls')
  if (!existsSync(log)) return []
  return readFileSync(log, 'utf8')
    .split('\x1e\x1f')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [cwd = '', env = '', ...argv] = entry.split('\x1f').slice(0, -1)
      return { argv, cwd, env }
    })
}
