import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPartialLines, type Found, isUnfinished } from './partial-lines.ts'

/** Everything found in a file with this text, as a reader finds it line by line. */
function found(text: string | Buffer): Found[] {
  const bytes = Buffer.from(text)
  const partialLines = createPartialLines()
  const all: Found[] = []
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, from)
    const to = newline === -1 ? bytes.length : newline
    all.push(...partialLines.add(bytes.subarray(from, to), from, to + 1))
    from = to + 1
  }
  return all
}

const contents = (text: string | Buffer) => found(text).map(({ value }) => (value as { content?: unknown })?.content)
const slow = '{"type":"message","from":"slow","content":"über  all da"}'
const own = '\n{"id":"1","type":"message","from":"lead","content":"own"}\n'
const echo = '{"type":"message","from":"ci","content":"echo","meta":{"a":1}}\n'

describe('a line that is written in parts', () => {
  it('keeps a space that was written alone in the middle of a text', () => {
    const [a, b] = ['{"from":"slow","content":"over', 'all"}\n']
    expect(contents(`${a}${own} ${own}${b}`)).toEqual(['own', 'own', 'over all'])
    expect(contents(`${a}${own} ${echo}${b}`)).toEqual(['own', 'echo', 'over all'])
    expect(contents(`${own} ${echo}${a}${own}${b}`)).toEqual(['own', 'echo', 'own', 'overall'])
    expect(contents(`${a}${own}\t\r${own}${b}`)).toEqual(['own', 'own', 'overall'])
    expect(contents(`{"from":"slow",${own}  ${own}"content":"x"}\n \n`)).toEqual(['own', 'own', 'x'])
  })

  it('is joined wherever a line of ours was written in between', () => {
    const bytes = Buffer.from(slow)
    for (let cut = 1; cut < bytes.length; cut++) {
      const text = Buffer.concat([bytes.subarray(0, cut), Buffer.from(own), bytes.subarray(cut), Buffer.from('\n')])
      expect(contents(text), `cut at ${cut}`).toEqual(['own', 'über  all da'])
      expect(found(text)[1]).toMatchObject({ offset: 0, end: text.length })
    }
  }) // A70

  it('is joined wherever a line of another program was written in between', () => {
    const bytes = Buffer.from(slow)
    for (let cut = 1; cut < bytes.length; cut++) {
      const text = Buffer.concat([bytes.subarray(0, cut), Buffer.from(echo), bytes.subarray(cut), Buffer.from('\n')])
      expect(contents(text), `cut at ${cut}`).toEqual(['echo', 'über  all da'])
      expect(found(text).map(({ offset }) => offset)).toEqual([cut, 0])
    }
  }) // A70

  it('is joined from any parts with complete lines in between, in the order of their ends', () => {
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: Buffer.from(slow).length - 1 }), {
      minLength: 1,
      maxLength: 5,
    })
    const between = fc.array(fc.constantFrom(own, echo, '\n'), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(cuts, fc.array(between, { minLength: 6, maxLength: 6 }), (at, lines) => {
        const bytes = Buffer.from(slow)
        const edges = [0, ...at.sort((a, b) => a - b), bytes.length]
        const pieces = edges.slice(1).map((to, i) => {
          const after = to === bytes.length ? '\n' : (lines[i] ?? []).join('')
          return Buffer.concat([bytes.subarray(edges[i], to), Buffer.from(after)])
        })
        const all = found(Buffer.concat(pieces))
        const slowly = all.filter(({ value }) => (value as { from: string }).from === 'slow')
        expect(slowly.map(({ value }) => value)).toEqual([JSON.parse(slow)])
        expect(all.every(({ value }) => ['slow', 'ci', 'lead'].includes((value as { from: string }).from))).toBe(true)
        expect(all.map(({ end }) => end)).toEqual(all.map(({ end }) => end).sort((a, b) => a - b))
        expect(new Set(all.map(({ offset }) => offset)).size).toBe(all.length)
      }),
    )
  })

  it('may be one JSON object over many lines', () => {
    expect(contents('{\n  "from": "ci",\n  "content": "red",\n  "tags": [\n    "a",\n    1\n  ]\n}\n')).toEqual(['red'])
  })

  it.each<[string, string, unknown[]]>([
    ['whole lines', '{"content":"a"}\n{"content":"b"}\n', ['a', 'b']],
    ['two objects without a newline between', '{"from":"a","content":"a"}{"from":"b","content":"b"}\n', ['a', 'b']],
    ['Windows newlines', '{"content":"a"}\r\n{"content":"b"}\r\n', ['a', 'b']],
    ['a byte order mark', '\uFEFF{"content":"a"}\n', ['a']],
    ['blank lines', '\n \n\t\r\n{"content":"a"}\n\n', ['a']],
    ['rubbish between lines', 'hello\n{"content":"a"}\n}{\n', [undefined, 'a', undefined]],
    ['rubbish in front of a line', 'hello {"from":"b","content":"b"}\n', [undefined, 'b']],
    ['a mistake in the middle of a line', '{"content":"a",,"b":1}\n{"content":"b"}\n', [undefined, 'b']],
    ['an unescaped quote', '{"content":"say "hi""}\n', [undefined]],
    ['a beginning without an end', '{"content":"a\n{"content":"b"}\n', ['b']],
    ['a line cut behind an inner object', '{"content":"a","x":{"b":1}\n\n}\n', ['a']],
    ['a number between two pieces of a number', '{"content":"a","n":12\n34\n5}\n', ['a']],
  ])('%s', (_what, text, expected) => {
    expect(contents(text)).toEqual(expected)
  })

  it('is dropped when there are too many beginnings, oldest first', () => {
    const all = found('{"a":1,\n'.repeat(100))
    expect(all).toHaveLength(92)
    expect(all.map(({ end }) => end)).toEqual(all.map(({ end }) => end).sort((a, b) => a - b))
    expect(new Set(all.map(({ offset }) => offset)).size).toBe(92)
  })

  it.each([
    ['backslashes', `{"a":"${'\\'.repeat(1_000_000)}`],
    ['blanks', `{"a":${' '.repeat(1_000_000)}`],
    ['brackets', `{"a":${'['.repeat(100_000)}`],
    ['objects', '{"a":'.repeat(100_000)],
    ['digits', `{"a":${'1'.repeat(1_000_000)}`],
  ])('looks at a million %s without getting stuck', (_what, text) => {
    expect(() => found(`${text}\n${text}\n`)).not.toThrow()
  })
})

describe('an unfinished object', () => {
  it('is every beginning of a JSON object', () => {
    const text = '{"a":"x\\"\\u00e9\\\\","b":[true,false,null,-1.5e+3,{}],"c":{"d":[]} , "e":0}'
    expect(JSON.parse(text)).toBeDefined()
    for (let length = 1; length < text.length; length++) {
      expect(isUnfinished(text.slice(0, length)), text.slice(0, length)).toBe(true)
    }
    expect(isUnfinished(text)).toBe(false)
  })

  it.each([
    '',
    'hello',
    '[1',
    '"a',
    '{a',
    '{"a":hello',
    '{"a" 1',
    '{]',
    '{"a":"\\x',
    '{"a":1}}',
    '{"a":1}{',
    '{"a":tru1',
  ])('is not %s', (text) => {
    expect(isUnfinished(text)).toBe(false)
  })
})
