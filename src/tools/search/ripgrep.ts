import { resolve } from 'node:path'
import { isInside } from '../../permissions/paths/places.ts'
import { findProgram } from '../../permissions/processes/find-program.ts'
import { runProgram } from '../../permissions/processes/run-program.ts'
import type { ToolContext } from '../tool.ts'
import type { Pattern } from './patterns.ts'

/** `rg` on the user's PATH, or the one of the package @vscode/ripgrep if it is installed beside us. */
export async function findRipgrep(writable: readonly string[]): Promise<string | undefined> {
  // What lies in the workspace may have been put there by an agent, and would run without permission.
  return findProgram('rg', process.env.PATH, writable)?.file ?? packaged()
}

let fromPackage: Promise<string | undefined> | undefined

function packaged(): Promise<string | undefined> {
  fromPackage ??= import('@vscode/ripgrep').then(({ rgPath }) => rgPath).catch(() => undefined)
  return fromPackage
}

/** Fewer files are read faster than a program starts. */
const MIN_FILES = 100
/** Of file names in one call; systems allow little more. */
const MAX_ARGUMENT_BYTES = 100_000

/** Those of `files` that may match; undefined if ripgrep cannot tell. */
export async function ripgrepFilter(
  ripgrep: string,
  { rust, ignoresCase }: Pattern,
  files: readonly string[],
  { root, folders, sandbox, signal }: ToolContext,
): Promise<string[] | undefined> {
  if (rust === undefined || files.length < MIN_FILES) return undefined
  // The boundary shows the workspace and nothing else.
  if (sandbox && !files.every((file) => [root, ...folders].some((folder) => isInside(folder, resolve(root, file)))))
    return undefined
  const sandboxed = sandbox?.forOwnProgram()
  const flags = ['--no-config', '--files-with-matches', '--null', '--text', '--no-messages', '--no-ignore']
  const args = [...flags, ...(ignoresCase ? ['--ignore-case'] : ['--case-sensitive']), '--regexp', rust, '--']
  const likely: string[] = []
  for (const batch of batches(files)) {
    const names = await run([...(sandboxed?.prefix ?? []), ripgrep, ...args, ...batch], root, signal)
    signal.throwIfAborted()
    if (!names) return undefined
    const matching = new Set(names)
    likely.push(...batch.filter((file) => matching.has(file)))
  }
  return likely
}

function* batches(files: readonly string[]): Generator<string[]> {
  let batch: string[] = []
  let size = 0
  for (const file of files) {
    if (size > MAX_ARGUMENT_BYTES) {
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
async function run([file = '', ...args]: string[], cwd: string, signal: AbortSignal): Promise<string[] | undefined> {
  const end = await runProgram({ file, args, cwd, env: {}, timeout: TIMEOUT_MS, signal, maxOutput: MAX_OUTPUT_BYTES })
  if (end.error || (end.code !== 0 && end.code !== 1)) return undefined
  return end.stdout.split('\0').filter((name) => name !== '')
}

const TIMEOUT_MS = 60_000
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
