import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Shorter lists mean something else in another place. */
const MIN_WORDS = 3
const TEAM = join('src', 'team')
const LIST = /\[\s*((?:'[\w.:-]+',?\s*){3,})\]/g

/** Every list of words in a file, in any order; one that picks some of another list is not a list of its own. */
function listsIn(source: string): string[] {
  const whole = source.replace(/\.(?:extract|exclude)\(\[[^\]]*\]\)/g, '')
  return [...whole.matchAll(LIST)].flatMap(([, inner = '']) => {
    const words = [...inner.matchAll(/'([^']+)'/g)].map(([, word]) => word!)
    return words.length < MIN_WORDS ? [] : [words.sort().join(' ')]
  })
}

const sources = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith(join('src', 'testing')))

it('no other folder repeats a list of states or kinds that src/team defines', () => {
  const defined = new Map(
    sources(TEAM).flatMap((path) => listsIn(readFileSync(path, 'utf8')).map((list) => [list, path])),
  )
  expect([...defined.keys()]).toContain('budget permission plan_approval shutdown')
  const repeated = sources('src')
    .filter((path) => !path.startsWith(TEAM))
    .flatMap((path) =>
      listsIn(readFileSync(path, 'utf8'))
        .filter((list) => defined.has(list))
        .map((list) => `${path} repeats "${list}" of ${defined.get(list)}`),
    )
  expect(repeated).toEqual([])
})
