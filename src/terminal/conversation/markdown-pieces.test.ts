import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Cut, finishedPieces, openPiece, START } from './markdown-pieces.ts'

describe('pieces of an answer that streams', () => {
  it('keep a paragraph open until the next one begins', () => {
    expect(finishedPieces('First line\nsecond\n\n', START, false).pieces).toEqual([])
    const { pieces, cut } = finishedPieces('First line\nsecond\n\nNext', START, false)
    expect(pieces.map(({ markdown }) => markdown)).toEqual(['First line\nsecond'])
    expect(openPiece('First line\nsecond\n\nNext', cut)?.markdown).toBe('Next')
  })

  it('keep indented text together with the list above it', () => {
    expect(finishedPieces('1. one\n\n   more of one\n', START, false).pieces).toEqual([])
  })

  it('finish a long code block in groups without repeating its borders', () => {
    const code = Array.from({ length: 20 }, (_, i) => `line ${i}`).join('\n')
    const text = `\`\`\`js\n${code}\n\`\`\`\n`
    const { pieces } = finishedPieces(text, START, false)
    expect(pieces.map(({ isContinued, continues }) => [isContinued, continues])).toEqual([
      [false, true],
      [true, true],
      [true, false],
    ])
    expect(pieces.every(({ markdown }) => markdown.startsWith('```js\n') && markdown.endsWith('\n```'))).toBe(true)
  })

  it('do not take an empty line inside a code block for its end', () => {
    expect(finishedPieces('```\na\n\nb\n', START, false).pieces).toEqual([])
  })

  it('cut a paragraph that does not end, between two words where possible', () => {
    const { pieces, cut } = finishedPieces('word '.repeat(1000), START, false)
    expect(pieces.length).toBeGreaterThan(0)
    expect(cut.at % 5).toBe(0)
    expect(finishedPieces('x'.repeat(9000), START, false).cut.at).toBeGreaterThan(5000)
  })

  it('hold every word once, however the deltas are divided', () => {
    const line = fc.constantFrom('word', '', '```', '~~~', '- item', '  indented', '# head', '| a | b |', 'x y z')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), fc.array(fc.integer({ min: 1, max: 30 })), (lines, steps) => {
        const text = lines.map((word, i) => (word === '' || /^[`~]/.test(word) ? word : `${word}${i}`)).join('\n')
        let cut: Cut = START
        const shown: string[] = []
        let end = 0
        for (const step of [...steps, text.length]) {
          end = Math.min(text.length, end + step)
          const next = finishedPieces(text.slice(0, end), cut, end === text.length)
          cut = next.cut
          shown.push(...next.pieces.map(({ markdown }) => markdown))
        }
        if (end < text.length) shown.push(...finishedPieces(text, cut, true).pieces.map(({ markdown }) => markdown))
        const words = (all: string) => all.match(/[a-z]+\d+|z\d*/g) ?? []
        expect(words(shown.join('\n'))).toEqual(words(text))
      }),
    )
  })
})
