import { describe, expect, it } from 'vitest'
import { bodyText, convertEach, keptFor, PlainHeaders, schemaOf } from './lean-request.ts'

const turn = (text: string) => ({ text })

describe('a conversation that is told again', () => {
  const converted: string[] = []
  const convert = (prompt: object[]) =>
    (prompt as { text: string }[]).flatMap(({ text }) => {
      converted.push(text)
      return text === '' ? [] : [{ said: text }, { said: '"' }]
    })
  const tell = (prompt: object[]) =>
    JSON.parse(bodyText({ model: 'm', messages: convertEach(prompt, convert) })).messages

  it('is converted turn by turn, each once', () => {
    const [a, b, c] = [turn('a'), turn(''), turn('c')]
    expect(tell([a])).toEqual([{ said: 'a' }, { said: '"' }])
    expect(tell([a, b, c])).toEqual([{ said: 'a' }, { said: '"' }, { said: 'c' }, { said: '"' }])
    expect(converted.splice(0)).toEqual(['a', '', 'c'])
  })

  it('is told from its beginning where it is not the same any more: shorter, or with another turn in it', () => {
    const [a, b, c] = [turn('a'), turn('b'), turn('c')]
    tell([a, b, c])
    expect(tell([a, b])).toEqual(['a', '"', 'b', '"'].map((said) => ({ said })))
    expect(tell([a, turn('x'), c])).toEqual(['a', '"', 'x', '"', 'c', '"'].map((said) => ({ said })))
  })

  it('says nothing twice after a turn that could not be told', () => {
    const told = { said: 'a' as unknown }
    const broken = { said: 1n as unknown }
    const each = () => [told, broken]
    const first = turn('first')
    expect(() => convertEach([first], each)).toThrow(TypeError)
    broken.said = 'b'
    expect(JSON.parse(bodyText({ messages: convertEach([first], each) })).messages).toEqual([told, broken])
  })

  it('leaves what was told before as it was', () => {
    const [a, b] = [turn('a'), turn('b')]
    const first = convertEach([a], convert)
    convertEach([a, b], convert)
    expect(first).toHaveLength(2)
  })
})

it('a body is the JSON of it, with or without parts that were kept', () => {
  const tools = [{ name: 'look' }]
  const body = {
    a: 1,
    gone: undefined,
    nothing: null,
    'odd "name"': [undefined, 'é'],
    tools: keptFor(tools, [{ x: 1 }]),
  }
  expect(bodyText(body)).toBe(JSON.stringify(body))
  expect(keptFor(tools, [{ x: 2 }])).toBe(body.tools)
  expect(keptFor(undefined, undefined)).toBeUndefined()
})

it('what is made of a schema is made once', () => {
  const schema = { type: 'object' }
  const make = (from: object) => ({ from })
  expect(schemaOf(schema, make)).toEqual({ from: schema })
  expect(schemaOf(schema, make)).toBe(schemaOf(schema, make))
  expect(schemaOf({ type: 'object' }, make)).not.toBe(schemaOf(schema, make))
})

it('headers are trimmed like those of the platform', () => {
  const init = { authorization: ' Bearer key\r\n', 'user-agent': 'a' }
  const [ours, theirs] = [new PlainHeaders(init), new Headers(init)]
  for (const headers of [ours, theirs]) headers.set('user-agent', `${headers.get('user-agent')} b`)
  expect(Object.fromEntries(ours.entries())).toEqual(Object.fromEntries(theirs.entries()))
  expect(ours.get('missing')).toBe(theirs.get('missing'))
})
