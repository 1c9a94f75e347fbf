import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { project, readPage } from './page.ts'

const page = readPage('docs/architecture.md')

interface Step {
  /** A path, or the name of a walk that stands for one step. */
  readonly file: string
  /** It returns before the next step, and passes nothing on. */
  readonly isCalledOnly: boolean
}

const WALKS = ['A message to a model request', 'A claim', 'An agent turn', 'A spawn']
/** Each stands for the files of another walk. */
const SUMMARIES = ['journal.append', 'model.reply']

describe('docs/architecture.md', () => {
  it.for(WALKS)('names files that exist in the walk "%s"', (walk) => {
    const steps = stepsOf(walk)
    expect(steps.length).toBeGreaterThan(10)
    const paths = steps.map(({ file }) => file).filter((file) => !SUMMARIES.includes(file))
    expect(paths.filter((file) => !existsSync(join(project, file)))).toEqual([])
  })

  it.for(WALKS)('enters no folder twice in the walk "%s", except journal and stores', (walk) => {
    expect(enteredTwice(pathOf(walk))).toEqual([])
  })

  it('passes at most 35 files in a spawn', () => {
    const files = new Set(stepsOf('A spawn').map(({ file }) => file))
    expect(files.size).toBeLessThanOrEqual(35)
  })

  it('names only sources that exist', () => {
    const named = [...page.text.matchAll(/`(src\/[\w./-]+)`/g)].map(([, path = '']) => path)
    expect(named.filter((path) => !existsSync(join(project, path)))).toEqual([])
  })

  it('names every folder of the sources', () => {
    const [, table = ''] = page.section('## Folders').split('|---|---|---|')
    const named = [...table.matchAll(/^\| `src\/([\w.]+)\/?` \|/gm)].map(([, folder]) => folder)
    const expected =
      'agent cli index.ts journal models organisation permissions plan prompts redaction session settings stores supervisor'
    expect(named.sort()).toEqual([
      ...expected.split(' '),
      'team',
      'terminal',
      'testing',
      'tools',
      'view',
      'workspace.ts',
    ])
  })
})

describe('the check of walks', () => {
  it('finds a folder that is entered again, and lets journal and stores call each other', () => {
    const path = (...folders: string[]) => folders.map((folder) => `src/${folder}/file.ts`)
    expect(enteredTwice(path('cli', 'cli', 'journal', 'stores', 'journal', 'stores'))).toEqual([])
    expect(enteredTwice(path('tools', 'supervisor', 'agent', 'supervisor'))).toEqual(['supervisor'])
    expect(enteredTwice(path('journal', 'supervisor', 'journal'))).toEqual(['journal'])
    expect(enteredTwice(['src/agent/a.ts', 'model.reply', 'src/agent/b.ts'])).toEqual([])
  })
})

/** Lines such as "3. `src/file.ts` does this", and "   - `src/file.ts` …" for what is called on the way. */
function stepsOf(walk: string): Step[] {
  const lines = page.section(`### ${walk}`).matchAll(/^(\d+\.|\s+-) `([^`]+)` \S/gm)
  return [...lines].map(([, mark = '', file = '']) => ({ file, isCalledOnly: mark.endsWith('-') }))
}

function pathOf(walk: string): string[] {
  return stepsOf(walk)
    .filter(({ isCalledOnly }) => !isCalledOnly)
    .map(({ file }) => file)
}

/** Folders that a path leaves and enters again. A summary returns to the folder that called it. */
function enteredTwice(path: readonly string[]): string[] {
  const folders = path.filter((file) => !SUMMARIES.includes(file)).map((file) => file.split('/')[1]!)
  const entries = folders.filter((folder, i) => folder !== folders[i - 1])
  const isExchange = (i: number) =>
    ['journal', 'stores'].includes(entries[i]!) && ['journal', 'stores'].includes(entries[i - 1]!)
  return entries.filter((folder, i) => !isExchange(i) && entries.indexOf(folder) < i)
}
