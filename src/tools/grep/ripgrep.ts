import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { ToolWorld } from '../../ports/tool.ts'
import { isInside } from '../paths/territory.ts'
import type { Pattern } from './compile.ts'

/** `rg` on the user's PATH, or the one of the package @vscode/ripgrep if somebody installed it beside us. */
export async function findRipgrep(root: string): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => isAbsolute(folder))
  // What lies in the workspace may have been put there by an agent, and would run without anybody's leave.
  const own = folders.map((folder) => join(folder, 'rg')).find((path) => !isInside(root, path) && isProgram(path))
  return own ?? packaged()
}

let fromPackage: Promise<string | undefined> | undefined

function packaged(): Promise<string | undefined> {
  fromPackage ??= import('@vscode/ripgrep').then(({ rgPath }) => rgPath).catch(() => undefined)
  return fromPackage
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Fewer files than this are read faster than a program starts. */
const WORTH_IT = 100
/** So many bytes of names at once; systems allow little more. */
const ARGUMENTS = 100_000

/** Those of `files` that may match; undefined if ripgrep cannot tell. */
export async function ripgrepFilter(
  ripgrep: string,
  { rust, ignoresCase }: Pattern,
  files: readonly string[],
  { root, signal }: ToolWorld,
): Promise<string[] | undefined> {
  if (rust === undefined || files.length < WORTH_IT) return undefined
  const flags = ['--no-config', '--files-with-matches', '--null', '--text', '--no-messages', '--no-ignore']
  const args = [...flags, ...(ignoresCase ? ['--ignore-case'] : ['--case-sensitive']), '--regexp', rust, '--']
  const likely: string[] = []
  for (const batch of batches(files)) {
    const names = await run(ripgrep, [...args, ...batch], root, signal)
    signal.throwIfAborted()
    if (!names) return undefined
    const told = new Set(names)
    likely.push(...batch.filter((file) => told.has(file)))
  }
  return likely
}

function* batches(files: readonly string[]): Generator<string[]> {
  let batch: string[] = []
  let size = 0
  for (const file of files) {
    if (size > ARGUMENTS) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(file)
    size += Buffer.byteLength(file) + 1
  }
  if (batch.length > 0) yield batch
}

/** Names it printed; undefined if it failed (code 1 only says that nothing matches). */
function run(program: string, args: string[], cwd: string, signal: AbortSignal): Promise<string[] | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, signal, env: {}, maxBuffer: 64 * 1024 * 1024 }, (error, output) => {
      if (error && error.code !== 1) resolve(undefined)
      else resolve(output.split('\0').filter((name) => name !== ''))
    })
  })
}
