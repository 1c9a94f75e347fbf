import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { finishedParts } from './finished.ts'
import { holesOf, pageOf, proofsOf, withoutCommandTest } from './page.ts'
import { sections, spec } from './spec.ts'
import { testsIn } from './test-names.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const texts = new Map(testFiles().map((file) => [file, readFileSync(root + file, 'utf8')]))
const tests = [...texts].flatMap(([file, text]) => testsIn(file, text))
const proofs = proofsOf(spec, tests)

describe('coverage', () => {
  it('lists every number of every section once and in order', () => {
    const all = Object.entries(sections).flatMap(([section, { last }]) =>
      Array.from({ length: last }, (_, index) => `${section}${index + 1}`),
    )
    expect(spec.map(({ id }) => id)).toEqual(all)
  })

  it('gives every number rising parts or the reason why it is not built', () => {
    const homeless = spec.filter(({ parts, notBuilt }) => parts.length === 0 && !notBuilt)
    const unsorted = spec.filter(({ parts }) => parts.some((part, index) => index > 0 && part <= parts[index - 1]!))
    expect([...homeless, ...unsorted]).toEqual([])
  })

  it('has a test for every number of a finished part', () => {
    const holes = finishedParts.map((part) => ranges(holesOf(part, spec, proofs))).filter((list) => list !== '')
    expect(
      holes.join(' '),
      'name each in a comment behind a test, like "}) // F7, A79", or give a reason in spec.json',
    ).toBe('')
  })

  it('has a test that runs a command for every number about plans and organisations', () => {
    const runsCommands = new Set(
      [...texts].filter(([, text]) => text.includes('cli/command-harness.ts')).map(([file]) => file),
    )
    const ids = spec.map(({ id }) => id).filter((id) => /^(C\d+|F4\d|F5[01])$/.test(id))
    expect(ranges(withoutCommandTest(ids, proofs, runsCommands)), 'a person must see each by a command').toBe('')
  })

  it('keeps test/coverage.md up to date', () => {
    const path = `${root}test/coverage.md`
    const page = pageOf(spec, proofs, finishedParts)
    const stale = !existsSync(path) || readFileSync(path, 'utf8') !== page
    if (stale) writeFileSync(path, page)
    console.info(report(stale))
    if (stale && process.env.CI) expect.fail('test/coverage.md was stale: run npm test and commit it')
  })
})

/** Our tests, and the contract suites that adapters run. */
function testFiles(): string[] {
  const below = (dir: string) =>
    existsSync(root + dir)
      ? readdirSync(root + dir, { recursive: true, encoding: 'utf8' }).map((name) => `${dir}/${name}`)
      : []
  const isTest = (path: string) => path.endsWith('.test.ts') || /^src\/testing\/[^/]+\.ts$/.test(path)
  return [...below('src'), ...below('test')].filter(isTest).sort()
}

/** One line: what the next part still lacks by number, the later ones by count, and titles with numbers. */
function report(rewritten: boolean): string {
  const lacking = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    .filter((part) => !finishedParts.includes(part))
    .map((part) => ({ part, holes: holesOf(part, spec, proofs) }))
    .filter(({ holes }) => holes.length > 0)
    .map(({ part, holes }, index) => `part ${part}: ${index === 0 ? ranges(holes) : holes.length}`)
  const titles = new Set(tests.flatMap((test) => test.titles))
  const uncounted = [...titles].filter((title) => /\b[A-DFGT][1-9]\d?\b/.test(title))
  return [
    lacking.length > 0 ? `SPEC numbers without a test: ${lacking.join('; ')}` : 'every SPEC number has its test',
    ...(uncounted.length > 0 ? [`not counted, name it in the comment behind the test: ${uncounted.join(' | ')}`] : []),
    ...(rewritten ? ['test/coverage.md was rewritten, commit it'] : []),
  ].join('. ')
}

/** A1 A2 A3 B7 → A1–A3 B7 */
function ranges(ids: string[]): string {
  const runs: string[][] = []
  for (const id of ids) {
    const run = runs.at(-1)
    const next = run && `${run[0]![0]}${Number(run.at(-1)!.slice(1)) + 1}`
    if (run && id === next) run.push(id)
    else runs.push([id])
  }
  return runs.map((run) => (run.length > 1 ? `${run[0]}–${run.at(-1)}` : run[0])).join(' ')
}
