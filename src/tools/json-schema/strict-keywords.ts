/** How the keywords are evaluated that are not evaluated for servers. */
export interface StrictCheck {
  /** Whether a regular expression is found in a text. */
  matches(pattern: string, text: string): boolean
}

type Schema = { readonly [key: string]: unknown }
/** What does not fit of a part; undefined if it fits. */
type Check = (part: unknown, inner?: unknown, path?: string) => string | undefined

/** Keywords of every kind of value but objects: `oneOf` exactly once, `not`, conditions, exclusive ranges, patterns, items. */
export function strictFault(
  schema: Schema,
  value: unknown,
  where: string,
  { matches }: StrictCheck,
  check: Check,
): string | undefined {
  const { oneOf, not, if: condition, pattern } = schema
  if (Array.isArray(oneOf)) {
    const fitting = oneOf.filter((part) => check(part) === undefined).length
    if (fitting !== 1) return `${where} fits ${fitting} of the alternatives of "oneOf", and must fit exactly one`
  }
  if (not !== undefined && check(not) === undefined) return `${where} must not fit ${shown(not)}`
  if (condition !== undefined) {
    const part = check(condition) === undefined ? schema.then : schema.else
    const fault = part === undefined ? undefined : check(part)
    if (fault !== undefined) return fault
  }
  if (typeof value === 'number') return numberFault(schema, value, where)
  if (typeof value === 'string' && typeof pattern === 'string' && !matches(pattern, value))
    return `${where} must match ${shown(pattern)}`
  return Array.isArray(value) ? itemsFault(schema, value, where, check) : undefined
}

function numberFault(schema: Schema, value: number, where: string): string | undefined {
  const { exclusiveMinimum: above, exclusiveMaximum: below, multipleOf: step } = schema
  if (typeof above === 'number' && value <= above) return `${where} must be more than ${above}`
  if (typeof below === 'number' && value >= below) return `${where} must be less than ${below}`
  if (typeof step !== 'number' || step <= 0) return undefined
  // 0.3 is a multiple of 0.1, although their quotient is not exact.
  const quotient = value / step
  const isMultiple = Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * Math.max(1, Math.abs(quotient)) * 4
  return isMultiple ? undefined : `${where} must be a multiple of ${step}`
}

function itemsFault(schema: Schema, value: readonly unknown[], where: string, check: Check): string | undefined {
  const { uniqueItems, contains, minContains = 1, maxContains, items, additionalItems } = schema
  if (uniqueItems === true && new Set(value.map(canonical)).size < value.length)
    return `${where} must not hold the same item twice`
  if (contains !== undefined) {
    const count = value.filter((item) => check(contains, item) === undefined).length
    if (typeof minContains === 'number' && count < minContains)
      return `${where} must hold at least ${minContains} of ${shown(contains)}`
    if (typeof maxContains === 'number' && count > maxContains)
      return `${where} must hold at most ${maxContains} of ${shown(contains)}`
  }
  if (!Array.isArray(items) || additionalItems === undefined) return undefined
  for (const item of value.slice(items.length)) {
    const fault = check(additionalItems, item)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Keywords of objects: counts, names, dependencies, and properties by pattern. */
export function strictObjectFault(
  schema: Schema,
  value: Schema,
  at: string,
  { matches }: StrictCheck,
  check: Check,
): string | undefined {
  const where = at || 'it'
  const names = Object.keys(value)
  const { minProperties: least, maxProperties: most, propertyNames } = schema
  if (typeof least === 'number' && names.length < least) return `${where} must have at least ${least} properties`
  if (typeof most === 'number' && names.length > most) return `${where} must have at most ${most} properties`
  for (const name of propertyNames === undefined ? [] : names) {
    const fault = check(propertyNames, name)
    if (fault !== undefined) return `${where} has the property ${shown(name)}: ${fault}`
  }
  for (const [name, needed] of Object.entries(objectOf(schema.dependentRequired))) {
    const missing = Object.hasOwn(value, name) && Array.isArray(needed) && needed.find((one) => !(one in value))
    if (missing) return `${where} has ${shown(name)}, so ${shown(missing)} must be there too`
  }
  for (const [name, part] of Object.entries(objectOf(schema.dependentSchemas))) {
    const fault = Object.hasOwn(value, name) ? check(part) : undefined
    if (fault !== undefined) return fault
  }
  return patternFault(schema, value, at, matches, check)
}

function patternFault(
  schema: Schema,
  value: Schema,
  at: string,
  matches: StrictCheck['matches'],
  check: Check,
): string | undefined {
  if (schema.patternProperties === undefined) return undefined
  const patterns = Object.entries(objectOf(schema.patternProperties))
  const named = objectOf(schema.properties)
  for (const [name, inner] of Object.entries(value)) {
    const parts = patterns.flatMap(([pattern, part]) => (matches(pattern, name) ? [part] : []))
    // Without patterns the caller has checked what is neither named nor meant by one.
    const isOther = parts.length === 0 && !Object.hasOwn(named, name)
    for (const part of isOther ? [schema.additionalProperties ?? true] : parts) {
      const fault = check(part, inner, at === '' ? name : `${at}.${name}`)
      if (fault !== undefined) return fault
    }
  }
  return undefined
}

function objectOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {}
}

/** The same text for two values that are equal, whatever the order of their members. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 200) ?? ''
}
