import { describe, expect, it } from 'vitest'
import { cited, testsIn } from './test-names.ts'

const namesIn = (text: string) => testsIn('a.test.ts', text).map(({ titles }) => titles.join(' › '))

describe('test names', () => {
  it('reads suites and tests however they are declared', () => {
    const text = `
      describe('board', () => {
        it('lists', () => {})
        test.concurrent("claims", { timeout: 5 }, async () => {})
        describe.each(stores)('on %s', () => { it.each\`a\${1}\`('sorts', () => {}) })
        it.skipIf(root).each([['x (A1)']])('refuses %s', check)
      })
      export function contract(name) { suite(\`\${name} store\`, () => { for (const c of cases) it('keeps ' + c, run) }) }
      describe(openStore, () => { it('opens', run, 1000) })`
    expect(namesIn(text)).toEqual([
      'board › lists',
      'board › claims',
      'board › on %s › sorts',
      'board › refuses %s',
      '… store › keeps …',
      'opens',
    ])
  })

  it('leaves out what does not run', () => {
    const text = `
      it.skip('a', run); it.todo('b'); it('c'); it('d', { skip: true }, run); test.skip.each([1])('e', run)
      it.fails('f', run); describe.skip('g', () => { it('h', run) }); describe.todo('i'); it('j', { todo: true }, run)`
    expect(namesIn(text)).toEqual([])
  })

  it('leaves out names in comments, strings and calls of something else', () => {
    const text = `
      // it('a', run)
      /* describe('b', () => it('c', run)) */
      const text = "it('d', run)" + \`it('e', run)\`
      pattern.test('f', run); audit('g', run); toString('h', run)`
    expect(namesIn(text)).toEqual([])
  })

  it('reads the numbers of trials from the comment behind a test', () => {
    const text = `
      it('a', () => {
        // T1
      }) // T5, T12
      it('b', () => {}, 30_000) // T7: only here
      // T9
      it('c', () => {})`
    expect(testsIn('a.test.ts', text).map(({ trials }) => trials)).toEqual([['T5', 'T12'], ['T7'], []])
  })

  it('takes only a comma list in the last parentheses for citations', () => {
    const dashed = ['loses nothing (F1–F3)', '[A1] lists', 'F7 wins', 'wins (F7) at once', 'wins (E7)', 'wins (F07)']
    expect(cited('lets one win (F7, A79, B62)')).toEqual(['F7', 'A79', 'B62'])
    expect(cited('lets one win (on files) (F7, twice)')).toEqual(['F7'])
    expect(dashed.flatMap(cited)).toEqual([])
  })
})
