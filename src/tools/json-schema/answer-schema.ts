import { createContext, Script } from 'node:vm'
import { isObject, isPattern, type JsonSchema, partsOf, resolve, schemaFault, valueFault } from './json-schema.ts'

/** A JSON Schema that an answer has to fit. */
export interface AnswerSchema {
  readonly schema: JsonSchema
  /** The value in a text that is JSON, alone or in one fenced block; or why it is not what was asked for. */
  read(text: string): { readonly value: unknown } | { readonly fault: string }
}

/** Why a text is not a schema that can be checked. */
export interface WrongSchema {
  readonly why: string
}

/** Keywords that change what fits and are not evaluated: a schema with one of them would accept too much. */
const NOT_CHECKED = ['$dynamicRef', '$recursiveRef', 'unevaluatedProperties', 'unevaluatedItems', 'dependencies']
const MAX_CHARACTERS = 64 * 1024
const MAX_VALUE_DEPTH = 100

export function answerSchema(text: string): AnswerSchema | WrongSchema {
  if (text.length > MAX_CHARACTERS) return { why: `it has more than ${MAX_CHARACTERS} characters` }
  let schema: unknown
  try {
    schema = JSON.parse(text)
  } catch (error) {
    return { why: `it is not JSON (${messageOf(error)})` }
  }
  if (depthOf(schema) > MAX_VALUE_DEPTH) return { why: `it is nested more than ${MAX_VALUE_DEPTH} levels deep` }
  if (!isObject(schema)) return { why: 'it is not an object' }
  const why = faultOfAll(schema) ?? schemaFault(schema)
  if (why !== undefined) return { why }
  return { schema, read: (answer) => read(schema, answer) }
}

function read(schema: JsonSchema, text: string): { readonly value: unknown } | { readonly fault: string } {
  let value: unknown
  try {
    value = JSON.parse(jsonIn(text))
  } catch (error) {
    return { fault: `it is not JSON (${messageOf(error)})` }
  }
  if (depthOf(value) > MAX_VALUE_DEPTH) return { fault: `it is nested more than ${MAX_VALUE_DEPTH} levels deep` }
  try {
    const fault = valueFault(schema, value, { matches: boundedMatcher() })
    return fault === undefined ? { value } : { fault }
  } catch (error) {
    if (!(error instanceof SlowPattern)) throw error
    return { fault: error.message }
  }
}

/** Models put JSON into a fenced block by habit. */
function jsonIn(text: string): string {
  const blocks = [...text.matchAll(/^[ \t]*```(?:json)?[ \t]*\r?\n([\s\S]*?)^[ \t]*```[ \t]*$/gim)]
  return blocks.length === 1 ? blocks[0]![1]! : text
}

class SlowPattern extends Error {}

/** Of one pattern on one text, and of all of them on one answer. */
const PATTERN_MS = 100
const ALL_PATTERNS_MS = 1000
const test = new Script('new RegExp(pattern, "u").test(text)')

/** A pattern that takes too long fits nothing: the time is limited, since backtracking may take for ever. */
function boundedMatcher(): (pattern: string, text: string) => boolean {
  const place = createContext(Object.create(null))
  let used = 0
  return (pattern, text) => {
    Object.assign(place, { pattern, text })
    const began = performance.now()
    try {
      if (used < ALL_PATTERNS_MS) return test.runInContext(place, { timeout: PATTERN_MS }) === true
    } catch {
      // It took too long, or needs too much memory: it was checked that it is a regular expression.
    } finally {
      used += performance.now() - began
    }
    throw new SlowPattern(`it cannot be checked: the pattern ${shown(pattern)} takes too long`)
  }
}

/** What makes a schema, or one inside of it, impossible to check. */
function faultOfAll(root: JsonSchema): string | undefined {
  const all: JsonSchema[] = [root]
  for (const schema of all) all.push(...partsOf(schema).filter(isObject))
  for (const schema of all) {
    const { $ref, patternProperties } = schema
    // Nothing is fetched, so a schema that is elsewhere would say nothing about a value.
    if (typeof $ref === 'string' && !$ref.startsWith('#'))
      return `"$ref" ${shown($ref)} is elsewhere, and nothing is fetched: put it into "$defs"`
    const key = NOT_CHECKED.find((one) => Object.hasOwn(schema, one))
    if (key !== undefined) return `"${key}" is not supported`
    const wrong = Object.keys(isObject(patternProperties) ? patternProperties : {}).find((one) => !isPattern(one))
    if (wrong !== undefined) return `${shown(wrong)} in "patternProperties" is not a regular expression`
  }
  return refersToItself(root, all) ? 'it refers to itself without end' : undefined
}

/** Whether a value would have to be checked by a schema before it is checked by the same schema. */
function refersToItself(root: JsonSchema, all: readonly JsonSchema[]): boolean {
  const done = new Set<JsonSchema>()
  const open = new Set<JsonSchema>()
  const leadsBack = (schema: JsonSchema): boolean => {
    if (open.has(schema)) return true
    if (done.has(schema)) return false
    open.add(schema)
    const isLoop = sameValue(schema, root).some(leadsBack)
    open.delete(schema)
    done.add(schema)
    return isLoop
  }
  return all.some(leadsBack)
}

/** The schemas that a value is checked by because it is checked by this one. */
function sameValue(schema: JsonSchema, root: JsonSchema): JsonSchema[] {
  const { allOf, anyOf, oneOf, dependentSchemas } = schema
  const named = isObject(dependentSchemas) ? Object.values(dependentSchemas) : []
  const alternatives = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  const others = [resolve(schema.$ref, root), schema.not, schema.if, schema.then, schema.else]
  return [...alternatives, ...named, ...others].filter(isObject)
}

/** Without recursion: the value may be nested deeper than the stack. */
function depthOf(value: unknown): number {
  let level: unknown[] = [value]
  let depth = 0
  for (; level.length > 0 && depth <= MAX_VALUE_DEPTH; depth++)
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  return depth
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 200) ?? ''
}
