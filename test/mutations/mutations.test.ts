import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { testsIn } from '../coverage/test-names.ts'
import { chooseMutations, readHistory } from './choose-mutations.ts'
import { editsOf, type Mutation, mutate } from './mutation.ts'
import { createMutationRunners } from './mutation-runners.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const CONTRACTS = readdirSync(join(root, 'src/testing'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('src/testing', name))
const mutations = await readMutations()
const chosen = chooseMutations(mutations, process.env.DESKMATES_MUTATIONS, readHistory(root))

describe('mutations', () => {
  // The small machines this runs on have two cores.
  const runners = createMutationRunners(root, 2)
  afterAll(() => runners[Symbol.asyncDispose]())

  it('have a unique name each', () => {
    const names = mutations.map(({ name }) => name)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it.for(mutations)('$name finds its old text exactly once in the source, and its test', (mutation) => {
    for (const edit of editsOf(mutation))
      expect(mutate(readFileSync(join(root, edit.file), 'utf8'), edit)).toContain(edit.new)
    expect(titlesOf(mutation.test).some((title) => begins(title, mutation.fails))).toBe(true)
  })

  it.concurrent.for(chosen)('$name turns its test red', { timeout: 1_800_000 }, async (mutation, { expect, skip }) => {
    const { status, output } = await runners.run(mutation)
    if (status === 'skipped') skip(output)
    expect(status, `${mutation.test} › ${mutation.fails}\n${output}`).toBe('failed')
  })
})

describe('the choice of mutations', () => {
  const some: Mutation[] = Array.from({ length: 30 }, (_, i) => ({
    name: `m${i}`,
    mistake: '',
    file: `src/${i}.ts`,
    old: 'a',
    new: 'b',
    test: `src/${i}.test.ts`,
    fails: 'it',
  }))
  const before = some.map(({ name }) => `name: '${name}',`).join('\n')
  const history = { commit: '00000003ff', changed: new Set<string>(), mutationsBefore: before }
  const names = (list: readonly Mutation[]) => list.map(({ name }) => name)

  it('is a tenth that rotates with the commit', () => {
    expect(names(chooseMutations(some, undefined, history))).toEqual(['m3', 'm13', 'm23'])
    expect(names(chooseMutations(some, undefined, { ...history, commit: '00000004ff' }))).toEqual(['m4', 'm14', 'm24'])
  })

  it('adds mutations whose source, test or own text changed', () => {
    const changed = new Set(['src/5.ts', 'src/6.test.ts'])
    const mutationsBefore = before.replace("'m7'", "'other'")
    expect(names(chooseMutations(some, undefined, { ...history, changed, mutationsBefore }))).toEqual([
      'm3',
      'm5',
      'm6',
      'm7',
      'm13',
      'm23',
    ])
  })

  it('adds at most 24 changed mutations, other ones after each commit', () => {
    const changed = new Set(some.map(({ file }) => file))
    const first = chooseMutations(some, undefined, { ...history, changed })
    const second = chooseMutations(some, undefined, { ...history, changed, commit: '00000012ff' })
    expect([first.length, second.length]).toEqual([24, 24])
    expect(names(first)).not.toEqual(names(second))
  })

  it('is every mutation, or those named, when asked for', () => {
    expect(chooseMutations(some, 'all', history)).toHaveLength(30)
    expect(names(chooseMutations(some, 'm1,m2', history))).toEqual(['m1', 'm2'])
    expect(() => chooseMutations(some, 'm1,nothing', history)).toThrow('nothing')
  })

  it('refuses a mutation whose old text is missing or there twice', () => {
    const mutation = { file: 'src/a.ts', old: 'x', new: 'y' }
    expect(() => mutate('a', mutation)).toThrow('0 times')
    expect(() => mutate('x x', mutation)).toThrow('2 times')
    expect(mutate('a x', mutation)).toBe('a y')
  })
})

const titles = new Map<string, string[]>()

/** The titles in a test file and in the contract suites that it may run. */
function titlesOf(test: string): string[] {
  const read = (file: string) => {
    const known =
      titles.get(file) ?? testsIn(file, readFileSync(join(root, file), 'utf8')).map((one) => one.titles.at(-1)!)
    titles.set(file, known)
    return known
  }
  return [test, ...CONTRACTS].flatMap(read)
}

/** Whether a title begins like this, or could: what stands for `%s`, `$name` and the like is not known here. */
function begins(title: string, start: string): boolean {
  const [literal = '', ...rest] = title.split(/%[sdifjo]|\$\w+|…/)
  return literal.startsWith(start) || (rest.length > 0 && start.startsWith(literal))
}

/** What the files of this folder export as `mutations`. */
async function readMutations(): Promise<Mutation[]> {
  const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  const areas: { mutations?: readonly Mutation[] }[] = await Promise.all(
    names.sort().map((name) => import(/* @vite-ignore */ `./${name}`)),
  )
  return areas.flatMap((area) => area.mutations ?? [])
}
