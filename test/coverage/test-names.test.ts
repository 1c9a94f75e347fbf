import { describe, expect, it } from 'vitest'
import { testsIn } from './test-names.ts'

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

  it('reads the numbers from the comment behind a test and behind its suite', () => {
    const text = `
      it('a', () => {
        // T1
      }) // F7, T12
      it('b', () => {}, 30_000) // T7: only here
      // T9
      describe('c', () => {
        it('d', () => {})
      }) // A79`
    expect(testsIn('a.test.ts', text).map(({ numbers }) => numbers)).toEqual([[['F7', 'T12']], [['T7']], [['A79'], []]])
  })
})
