import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What one process believes, written down outside the team right after it was told: one line, one write. */
export function sideFile(path: string): (...words: (string | number)[]) => void {
  return (...words) => appendFileSync(path, `${words.join(' ')}\n`)
}

/** All lines of all side files in `folder` whose name begins with `prefix`, as words. */
export function readSideFiles(folder: string, prefix: string): string[][] {
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).filter((name) => name.startsWith(prefix))
  const lines = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
  return lines.filter((line) => line !== '').map((line) => line.split(' '))
}
