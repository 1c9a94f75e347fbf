import { type StrictCheck, strictFault, strictObjectFault } from './strict-keywords.ts'

/**
 * JSON Schema as servers and users write it. It is data of a stranger: it is checked before a model or a provider sees it, and
 * values are checked against it by the steps below, of which there is a limit. Of servers, patterns and rarer keywords are not
 * evaluated (`strict-keywords.ts` does that): many servers write a schema that their own values do not fit.
 */
export type JsonSchema = { readonly [key: string]: unknown }

const MAX_CHARACTERS = 64 * 1024
const MAX_DEPTH = 24
const MAX_STEPS = 50_000
const MAX_CHECK_DEPTH = 300
const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']
/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE = ['additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames', 'unevaluatedProperties']
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
/** What providers accept as the name of a parameter. */
const PARAMETER = /^[A-Za-z0-9_.-]{1,64}$/

/** What is wrong with the schema of a tool's input or output; undefined if it can be used. */
export function schemaFault(schema: unknown): string | undefined {
  if (!isObject(schema)) return 'it is not an object'
  const length = lengthOf(schema)
  if (length > MAX_CHARACTERS) return `it has ${length} characters, and at most ${MAX_CHARACTERS} are used`
  return faultIn(schema, schema, 'the schema', 0)
}

/** Infinite where it is nested so deep that it cannot be written. */
function lengthOf(value: unknown): number {
  try {
    return JSON.stringify(value).length
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** The same for the input of a tool, which has to be an object with named parameters. */
export function inputSchemaFault(schema: unknown): string | undefined {
  const fault = schemaFault(schema)
  if (fault !== undefined) return fault
  const { type, properties = {} } = schema as JsonSchema
  if (type !== 'object') return `its type is ${JSON.stringify(type) ?? 'missing'}, and the input of a tool is an object`
  const wrong = Object.keys(properties as JsonSchema).find((name) => !PARAMETER.test(name))
  return wrong === undefined
    ? undefined
    : `the parameter ${JSON.stringify(wrong.slice(0, 80))} has a name that no provider accepts`
}

/** The schema as providers take it: they refuse alternatives at the top, and need no address of the dialect. */
export function offeredSchema(schema: JsonSchema): JsonSchema {
  const { $schema: _, $id: __, anyOf: ___, oneOf: ____, allOf: _____, not: ______, ...rest } = schema
  return { ...rest, type: 'object', properties: rest.properties ?? {} }
}

function faultIn(schema: unknown, root: JsonSchema, at: string, depth: number): string | undefined {
  if (typeof schema === 'boolean') return undefined
  if (!isObject(schema)) return `${at} is not a schema`
  if (depth > MAX_DEPTH) return `it is nested more than ${MAX_DEPTH} levels deep`
  const { type, required, enum: values, $ref, items, pattern } = schema
  const types = Array.isArray(type) ? type : [type]
  if (type !== undefined && (types.length === 0 || !types.every((one) => TYPES.includes(one))))
    return `the type ${JSON.stringify(type)?.slice(0, 80)} of ${at} does not exist`
  if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === 'string')))
    return `"required" of ${at} is not a list of names`
  if (values !== undefined && !Array.isArray(values)) return `"enum" of ${at} is not a list`
  if (pattern !== undefined && !isPattern(pattern)) return `"pattern" of ${at} is not a regular expression`
  if ($ref !== undefined && resolve($ref, root) === undefined) return `"$ref" of ${at} leads nowhere`
  const parts: [string, unknown][] = []
  for (const key of ONE) if (schema[key] !== undefined) parts.push([key, schema[key]])
  if (items !== undefined)
    parts.push(...(Array.isArray(items) ? items : [items]).map((one): [string, unknown] => ['items', one]))
  for (const key of LISTS) {
    const list = schema[key]
    if (list === undefined) continue
    if (!Array.isArray(list) || list.length === 0) return `"${key}" of ${at} is not a list of schemas`
    parts.push(...list.map((one): [string, unknown] => [key, one]))
  }
  for (const key of NAMED) {
    const named = schema[key]
    if (named === undefined) continue
    if (!isObject(named)) return `"${key}" of ${at} is not an object`
    parts.push(...Object.entries(named))
  }
  for (const [name, part] of parts) {
    const fault = faultIn(part, root, JSON.stringify(name.slice(0, 80)), depth + 1)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** The schemas directly inside of a schema, whichever keyword they belong to. */
export function partsOf(schema: JsonSchema): unknown[] {
  const named = NAMED.flatMap((key) => (isObject(schema[key]) ? Object.values(schema[key]) : []))
  const items = Array.isArray(schema.items) ? schema.items : [schema.items]
  return [...ONE.map((key) => schema[key]), ...items, ...LISTS.flatMap((key) => listOf(schema[key])), ...named]
}

export function isPattern(pattern: unknown): boolean {
  try {
    return typeof pattern === 'string' && new RegExp(pattern, 'u') !== undefined
  } catch {
    return false
  }
}

/**
 * What does not fit, with its place; undefined if the value fits. A schema that takes too many steps fits nothing. `strict`
 * evaluates all keywords.
 */
export function valueFault(schema: JsonSchema, value: unknown, strict?: StrictCheck): string | undefined {
  const budget = { steps: MAX_STEPS, depth: 0, strict }
  const fault = faultOf(schema, value, schema, '', budget)
  return budget.steps <= 0 ? 'it cannot be checked: its schema takes too many steps' : fault
}

interface Budget {
  steps: number
  depth: number
  readonly strict: StrictCheck | undefined
}

function faultOf(schema: unknown, value: unknown, root: JsonSchema, at: string, budget: Budget): string | undefined {
  // A schema that refers to itself without end uses up all steps.
  if (budget.depth >= MAX_CHECK_DEPTH) budget.steps = 0
  if (--budget.steps <= 0) return 'too many steps'
  budget.depth++
  try {
    return faultHere(schema, value, root, at, budget)
  } finally {
    budget.depth--
  }
}

function faultHere(schema: unknown, value: unknown, root: JsonSchema, at: string, budget: Budget): string | undefined {
  if (schema === true || !isObject(schema)) return schema === false ? `${at || 'it'} must not be there` : undefined
  const where = at || 'it'
  const check = (part: unknown, inner: unknown = value, path = at) => faultOf(part, inner, root, path, budget)
  if (schema.$ref !== undefined) {
    const fault = check(resolve(schema.$ref, root))
    if (fault !== undefined) return fault
  }
  const types = schema.type === undefined ? undefined : [schema.type].flat()
  if (types && !types.some((type) => isOfType(value, type))) return `${where} must be ${types.join(' or ')}`
  if ('const' in schema && !isSame(schema.const, value))
    return `${where} must be ${JSON.stringify(schema.const)?.slice(0, 200)}`
  if (Array.isArray(schema.enum) && !schema.enum.some((one) => isSame(one, value)))
    return `${where} must be one of ${JSON.stringify(schema.enum)?.slice(0, 200)}`
  for (const part of listOf(schema.allOf)) {
    const fault = check(part)
    if (fault !== undefined) return fault
  }
  for (const key of ['anyOf', 'oneOf'] as const) {
    const faults = listOf(schema[key]).map((part) => check(part))
    if (faults.length > 0 && faults.every((fault) => fault !== undefined)) return faults[0]
  }
  if (budget.strict) {
    const fault = strictFault(schema, value, where, budget.strict, check)
    if (fault !== undefined) return fault
  }
  if (typeof value === 'number') return rangeFault(schema, 'imum', value, where)
  if (typeof value === 'string') return rangeFault(schema, 'Length', [...value].length, `the length of ${where}`)
  if (Array.isArray(value)) {
    const fault = rangeFault(schema, 'Items', value.length, `the number of items of ${where}`)
    if (fault !== undefined) return fault
    const first = listOf(schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : []))
    const rest = Array.isArray(schema.items) ? true : (schema.items ?? true)
    return firstFault(value.map((item, i) => () => check(first[i] ?? rest, item, `${at}[${i}]`)))
  }
  if (!isObject(value)) return undefined
  return (
    objectFault(schema, value, at, check) ??
    (budget.strict && strictObjectFault(schema, value, at, budget.strict, check))
  )
}

function objectFault(
  schema: JsonSchema,
  value: JsonSchema,
  at: string,
  check: (part: unknown, inner: unknown, path: string) => string | undefined,
): string | undefined {
  const path = (name: string) => (at === '' ? name : `${at}.${name}`).slice(-200)
  const missing = listOf(schema.required).find((name) => typeof name === 'string' && !Object.hasOwn(value, name))
  if (missing !== undefined) return `${path(String(missing))} is missing`
  const properties = isObject(schema.properties) ? schema.properties : {}
  const { additionalProperties: others = true, patternProperties } = schema
  return firstFault(
    Object.entries(value).map(([name, inner]) => () => {
      if (Object.hasOwn(properties, name)) return check(properties[name], inner, path(name))
      // Which names a pattern means is not evaluated, so any of them may be there.
      return patternProperties === undefined ? check(others, inner, path(name)) : undefined
    }),
  )
}

function rangeFault(schema: JsonSchema, unit: string, size: number, where: string): string | undefined {
  const [least, most] = [schema[`min${unit}`], schema[`max${unit}`]]
  if (typeof least === 'number' && size < least) return `${where} must be at least ${least}`
  if (typeof most === 'number' && size > most) return `${where} must be at most ${most}`
  return undefined
}

function firstFault(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const fault = check()
    if (fault !== undefined) return fault
  }
  return undefined
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return Array.isArray(value)
    case 'null':
      return value === null
    case 'object':
      return isObject(value)
    default:
      return typeof value === type
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && a !== null && JSON.stringify(a) === JSON.stringify(b))
}

/** Only inside of the schema itself: an address elsewhere is never fetched. */
export function resolve(ref: unknown, root: JsonSchema): unknown {
  if (typeof ref !== 'string' || !/^#(\/|$)/.test(ref)) return undefined
  let at: unknown = root
  for (const step of ref.split('/').slice(1)) {
    const key = decodeURIComponentSafe(step).replaceAll('~1', '/').replaceAll('~0', '~')
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : Array.isArray(at) ? at[Number(key)] : undefined
  }
  return isObject(at) || typeof at === 'boolean' ? at : undefined
}

function decodeURIComponentSafe(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
