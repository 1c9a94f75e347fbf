import { type GitPlace, runGit } from '../../permissions/sandbox/run-git.ts'

/**
 * How many files in this folder are changed and not committed; undefined where git cannot tell. Not checked without a
 * sandbox: git would run programs that files written by agents name.
 */
export async function uncommittedIn(place: Omit<GitPlace, 'sandbox'> & Partial<GitPlace>): Promise<Uncommitted> {
  const { sandbox } = place
  if (sandbox === undefined) return { isChecked: false }
  const end = await runGit({ ...place, sandbox }, STATUS)
  if (!end || end.error || end.code !== 0) return { isChecked: true, files: undefined }
  return { isChecked: true, files: end.stdout.split('\0').filter((line) => line !== '').length }
}

export type Uncommitted =
  | { readonly isChecked: false }
  | { readonly isChecked: true; readonly files: number | undefined }

const NOT_CHECKED =
  "[not checked] Uncommitted changes are not counted without a sandbox: git would run what agents' files say."

/** Counts uncommitted files; reports once, not for each teammate that stops, that they are not counted. */
export function createUncommittedCount(
  place: Parameters<typeof uncommittedIn>[0],
  report: (text: string) => void,
): () => Promise<number | undefined> {
  let isReported = false
  return async () => {
    const found = await uncommittedIn(place)
    if (found.isChecked) return found.files
    if (!isReported) report(NOT_CHECKED)
    isReported = true
    return undefined
  }
}

const STATUS = [
  'status',
  '--porcelain',
  '--no-renames',
  '-z',
  '--untracked-files=all',
  '--ignore-submodules=all',
  '--',
  '.',
  ':!.teams',
  ':!.tasks',
]
