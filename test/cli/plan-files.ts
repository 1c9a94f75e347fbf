import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A header line of phase 03. */
export const header = (n: string, more: object = {}) => ({
  ...{ p: '03', n, t: `Plan ${n}`, w: 1, d: [], mh: {}, obj: 'Objective' },
  ...more,
})

export const task = (id: string, more: object = {}) => ({
  ...{ id, tp: 'auto', a: `Do ${id}`, f: [`src/${id}.ts`], v: 'v', done: 'd' },
  ...more,
})

/** Writes lines of JSON into a file below `dir`. */
export function writeLines(dir: string, path: string, ...lines: readonly object[]): void {
  const file = join(dir, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'))
}

/** The example of the source: seven tasks in 03-01, and 03-02 waits for all of them. */
export function writeExample(dir: string): void {
  const seven = ['T1', 'T2', 'T3', 'T4', 'T5', 'T6', 'T7'].map((id) => task(id, id === 'T3' ? { td: ['T1'] } : {}))
  writeLines(dir, 'p/03-01.plan.jsonl', header('01'), ...seven)
  writeLines(
    dir,
    'p/03-02.plan.jsonl',
    header('02', { w: 2, d: ['03-01'] }),
    task('T1', { f: ['src/x.ts'] }),
    task('T2', { f: ['src/x.ts'] }),
  )
}
