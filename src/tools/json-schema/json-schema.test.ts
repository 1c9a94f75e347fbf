import { describe, expect, it } from 'vitest'
import { inputSchemaFault, offeredSchema, schemaFault, valueFault } from './json-schema.ts'

describe('a schema of a server', () => {
  it.each([
    [{ type: 'object' }, undefined],
    [{ type: 'object', properties: { a: { type: ['string', 'null'] }, b: { enum: [1] } }, required: ['a'] }, undefined],
    [{ type: 'object', properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: { type: 'string' } } }, undefined],
    [{ type: 'string' }, 'its type is "string"'],
    [{}, 'its type is missing'],
    [[], 'it is not an object'],
    [{ type: 'object', properties: [] }, '"properties" of the schema is not an object'],
    [{ type: 'object', required: 'a' }, '"required" of the schema is not a list of names'],
    [{ type: 'object', properties: { a: { pattern: '(' } } }, 'is not a regular expression'],
    [{ type: 'object', properties: { a: { anyOf: {} } } }, 'is not a list of schemas'],
    [{ type: 'object', properties: { a: 5 } }, '"a" is not a schema'],
  ])('%j is refused for a reason, or used', (schema, fault) => {
    if (fault === undefined) expect(inputSchemaFault(schema)).toBeUndefined()
    else expect(inputSchemaFault(schema)).toContain(fault)
  })

  it('is refused when it is too deep', () => {
    let deep: object = { type: 'string' }
    for (let i = 0; i < 5000; i++) deep = { type: 'object', properties: { a: deep } }
    expect(schemaFault(deep)).toMatch(/nested|characters/)
  })

  it('is offered without what providers refuse at its top', () => {
    expect(offeredSchema({ $schema: 'x', type: 'object', oneOf: [{}], properties: { a: {} } })).toEqual({
      type: 'object',
      properties: { a: {} },
    })
  })
})

describe('a value', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 2 },
      size: { type: 'integer', minimum: 1, maximum: 9 },
      tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
      kind: { enum: ['a', 'b'] },
      one: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
    required: ['name'],
    additionalProperties: false,
  }
  it.each([
    [{ name: 'ab', size: 9, tags: ['x'], kind: 'a', one: null }, undefined],
    [{}, 'name is missing'],
    [{ name: 'a' }, 'the length of name must be at least 2'],
    [{ name: 'ab', size: 1.5 }, 'size must be integer'],
    [{ name: 'ab', size: 10 }, 'size must be at most 9'],
    [{ name: 'ab', tags: ['x', 5] }, 'tags[1] must be string'],
    [{ name: 'ab', tags: ['x', 'y', 'z'] }, 'the number of items of tags must be at most 2'],
    [{ name: 'ab', kind: 'c' }, 'kind must be one of ["a","b"]'],
    [{ name: 'ab', one: 5 }, 'one must be string'],
    [{ name: 'ab', more: 1 }, 'more must not be there'],
    ['ab', 'it must be object'],
  ])('%j is checked', (value, fault) => expect(valueFault(schema, value)).toBe(fault))

  it('is checked in a bounded number of steps', () => {
    const $defs: Record<string, object> = { x0: { type: 'string' } }
    for (let i = 1; i < 60; i++)
      $defs[`x${i}`] = { allOf: [{ $ref: `#/$defs/x${i - 1}` }, { $ref: `#/$defs/x${i - 1}` }] }
    expect(valueFault({ $ref: '#/$defs/x59', $defs }, 'x')).toContain('too many steps')
  })
})
