import { describe, expect, it } from 'vitest'
import { endsWord, longWords } from './long-words.ts'

function wordsOf(text: string): string[] {
  const words: string[] = []
  longWords(text, 4, (start, end) => words.push(text.slice(start, end)))
  return words
}

describe('the long words of a text', () => {
  it('end at every white space, quote, angle bracket and control character, and nowhere else', () => {
    const wrong: number[] = []
    for (let code = 0; code < 0x10000; code++)
      if (endsWord(code) !== /[\s"'`<>\p{Cc}]/u.test(String.fromCharCode(code))) wrong.push(code)
    expect(wrong).toEqual([])
  })

  it('are found at the beginning, in the middle and at the end, without shorter ones', () => {
    expect(wordsOf('first abc "middle", <ab> last')).toEqual(['first', 'middle', 'last'])
    expect(wordsOf('abcd')).toEqual(['abcd'])
    expect(wordsOf('abc')).toEqual([])
    expect(wordsOf('')).toEqual([])
    expect(wordsOf('ключ\u3000漢字漢字\x1b[0m')).toEqual(['ключ', '漢字漢字'])
  })
})
