import { describe, expect, it } from 'vitest'
import { answerSchema } from './answer-schema.ts'

function fault(schema: unknown, value: unknown): string | undefined {
  const read = answerSchema(typeof schema === 'string' ? schema : JSON.stringify(schema))
  if ('why' in read) throw new Error(read.why)
  const answer = read.read(typeof value === 'string' ? value : JSON.stringify(value))
  return 'fault' in answer ? answer.fault : undefined
}
const whyNot = (schema: unknown) => {
  const read = answerSchema(typeof schema === 'string' ? schema : JSON.stringify(schema))
  return 'why' in read ? read.why : undefined
}

describe('an answer that has to fit a JSON Schema', () => {
  it.each<[string, unknown, unknown, unknown]>([
    ['oneOf', { oneOf: [{ type: 'integer' }, { minimum: 5 }] }, 3, 7],
    ['not', { not: { type: 'string' } }, 1, '"text"'],
    ['if and then', '{"if":{"required":["a"]},"then":{"required":["b"]}}', { a: 1, b: 2 }, { a: 1 }],
    ['else', { if: { type: 'number' }, else: { type: 'string' } }, '"x"', true],
    ['exclusiveMinimum', { exclusiveMinimum: 1 }, 2, 1],
    ['exclusiveMaximum', { exclusiveMaximum: 1 }, 0, 1],
    ['multipleOf', { multipleOf: 0.1 }, 0.3, 0.35],
    ['pattern', { pattern: '^v\\d+$' }, '"v12"', '"12"'],
    ['uniqueItems', { uniqueItems: true }, [{ a: 1 }, { a: 2 }], '[{"a":1,"b":2},{"b":2,"a":1}]'],
    ['contains', { contains: { const: 1 } }, [2, 1], [2]],
    ['maxContains', { contains: { const: 1 }, maxContains: 1 }, [1], [1, 1]],
    ['items behind a tuple', { items: [{ type: 'number' }], additionalItems: false }, [1], [1, 2]],
    ['minProperties', { minProperties: 1 }, { a: 1 }, {}],
    ['maxProperties', { maxProperties: 1 }, { a: 1 }, { a: 1, b: 2 }],
    ['propertyNames', { propertyNames: { pattern: '^[a-z]+$' } }, { a: 1 }, { A: 1 }],
    ['dependentRequired', { dependentRequired: { a: ['b'] } }, { b: 1 }, { a: 1 }],
    ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, { b: 1 }, { a: 1 }],
    ['patternProperties', { patternProperties: { '^n': { type: 'number' } } }, { n1: 1, x: 'y' }, { n1: 'x' }],
    [
      'additionalProperties besides a pattern',
      { properties: { b: {} }, patternProperties: { '^n': {} }, additionalProperties: false },
      { n1: 1, b: 2 },
      { c: 1 },
    ],
    ['required', { type: 'object', required: ['ok'] }, { ok: true }, {}],
    ['$ref', { $ref: '#/$defs/a', $defs: { a: { type: 'number' } } }, 1, '"x"'],
  ])('is held to %s', (_, schema, right, wrong) => {
    expect(fault(schema, right)).toBeUndefined()
    expect(fault(schema, wrong)).toEqual(expect.any(String))
  })

  it('may stand in one fenced block, and otherwise has to be JSON alone', () => {
    const schema = { type: 'object' }
    expect(fault(schema, 'Here it is:\n```json\n{"a": 1}\n```\n')).toBeUndefined()
    expect(fault(schema, ' {"a": 1}\n')).toBeUndefined()
    expect(fault(schema, 'It is {"a": 1}')).toContain('it is not JSON')
    expect(fault(schema, '```json\n{}\n```\nor\n```json\n{}\n```')).toContain('it is not JSON')
    expect(fault({}, '')).toContain('it is not JSON')
  })

  it('refers to a part of the schema that refers to itself, as a tree does', () => {
    const tree = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } }
    expect(fault(tree, { children: [{ children: [] }] })).toBeUndefined()
    expect(fault(tree, { children: [{ children: 1 }] })).toContain('children[0].children must be array')
  })

  it('ends a pattern that would take for ever, and says so', () => {
    const slow = { type: 'array', items: { pattern: '^(a+)+$' } }
    expect(fault(slow, [`${'a'.repeat(60)}b`])).toContain('takes too long')
    expect(fault({ patternProperties: { '^(a+)+$': {} } }, { [`${'a'.repeat(60)}b`]: 1 })).toContain('takes too long')
  })

  it('is refused where it is nested so deep that no program could print it', () => {
    expect(fault({}, '['.repeat(5000) + ']'.repeat(5000))).toContain('nested more than 100 levels')
  })
})

describe('a schema', () => {
  it.each<[string, unknown, RegExp]>([
    ['no JSON', '{"type":', /it is not JSON/],
    ['a list', '[]', /it is not an object/],
    ['an unknown type', { type: 'text' }, /does not exist/],
    ['a part elsewhere', { $ref: 'http://127.0.0.1:9/s.json' }, /is elsewhere, and nothing is fetched/],
    ['a file elsewhere', { properties: { a: { $ref: 'file:///etc/passwd' } } }, /is elsewhere, and nothing is fetched/],
    ['a part that is not there', { $ref: '#/$defs/none' }, /leads nowhere/],
    ['itself', { $ref: '#' }, /refers to itself without end/],
    [
      'two that name each other',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } } },
      /without end/,
    ],
    [
      'a loop that no empty value reaches',
      { properties: { a: { anyOf: [{ $ref: '#/properties/a' }] } } },
      /without end/,
    ],
    ['a keyword that is not checked', { unevaluatedProperties: false }, /"unevaluatedProperties" is not supported/],
    ['a pattern that is none', { pattern: '(' }, /not a regular expression/],
    ['a name that is no pattern', { patternProperties: { '(': {} } }, /not a regular expression/],
    ['no end', `${'{"not":'.repeat(5000)}{}${'}'.repeat(5000)}`, /nested more than 100 levels/],
    ['too many characters', { description: 'x'.repeat(70_000) }, /more than 65536 characters/],
  ])('with %s is refused before anything is asked', (_, schema, why) => {
    expect(whyNot(schema)).toMatch(why)
  })

  it('may have properties that are called like keywords', () => {
    expect(whyNot({ type: 'object', properties: { dependencies: { type: 'object' }, $ref: { type: 'string' } } })).toBe(
      undefined,
    )
  })
})
