import { z } from 'zod'
import { shown } from '../../plan/shown-value.ts'

/**
 * The fields of a hand-off as a user writes them in `handoffs.yaml`:
 *
 *     task: task                      one of the kinds below
 *     status: complete | partial      one of these words
 *     concerns: [text]                a list
 *     evidence+: [text]               a list with at least one entry
 *     spec?: text                     may be left out
 *     changes: [{ f: path, ln: number }]
 */
export type FieldList = Readonly<Record<string, unknown>>

interface FieldProblem {
  readonly path: readonly PropertyKey[]
  readonly problem: string
  readonly fix: string
}

/** The schema of these fields, or everything that is wrong with them. */
export function compileFields(fields: unknown): { schema: z.ZodObject } | { problems: readonly FieldProblem[] } {
  const problems: FieldProblem[] = []
  const schema = objectSchema(fields, [], problems)
  return problems.length > 0 || !schema ? { problems } : { schema }
}

const TEXT = z.string().refine((text) => text.trim() !== '')

/** Each kind with what a value of it looks like. */
const KINDS: Readonly<Record<string, { readonly schema: z.ZodType; readonly expected: string }>> = {
  text: { schema: TEXT, expected: 'a text that is not empty' },
  number: { schema: z.int().min(0), expected: 'a whole number from 0 up' },
  percent: { schema: z.number().min(0).max(100), expected: 'a number from 0 to 100' },
  boolean: { schema: z.boolean(), expected: 'true or false' },
  task: { schema: z.string().regex(/^\d\d-\d\d\/T[1-9]\d{0,5}$/), expected: 'the id of a task, like "03-01/T3"' },
  plan: { schema: z.string().regex(/^\d\d-\d\d$/), expected: 'the id of a plan, like "03-01"' },
  phase: { schema: z.string().regex(/^\d\d\b/), expected: 'the number of a phase, like "03"' },
  path: { schema: TEXT, expected: 'the path of a file' },
  place: { schema: z.string().regex(/\S:\d+$/), expected: 'a file and a line, like "src/a.ts:12"' },
  any: { schema: z.json(), expected: 'any JSON value' },
}

const FIELD_NAME = /^([A-Za-z][A-Za-z0-9_]{0,63})([?+]?)$/
const WORD = /^[A-Za-z][\w-]*$/
const MAX_DEPTH = 8

function objectSchema(
  fields: unknown,
  path: readonly PropertyKey[],
  problems: FieldProblem[],
): z.ZodObject | undefined {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    problems.push({
      path,
      problem: `${shown(fields)} is not a list of fields`,
      fix: 'Write one field per line: task: task.',
    })
    return undefined
  }
  const shape: Record<string, z.ZodType> = {}
  for (const [key, kind] of Object.entries(fields)) {
    const at = [...path, key]
    const [, name, mark] = FIELD_NAME.exec(key) ?? []
    if (name === undefined) {
      const fix = 'Use letters, digits and _; put ? behind it if it may be left out, + if a list must not be empty.'
      problems.push({ path: at, problem: `${shown(key)} is not the name of a field`, fix })
      continue
    }
    if (Object.hasOwn(shape, name))
      problems.push({ path: at, problem: `the field ${name} is there twice`, fix: 'Keep one of them.' })
    if (mark === '+' && !Array.isArray(kind))
      problems.push({ path: at, problem: `${key} is not a list`, fix: `Write "${name}+: [text]", or leave out the +.` })
    const schema = fieldSchema(kind, at, problems)
    if (schema) shape[name] = mark === '?' ? schema.optional() : mark === '+' ? atLeastOne(schema) : schema
  }
  const known = Object.keys(shape).join(', ') || 'none'
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? `is not a field here (fields: ${known})` : 'is not an object'),
  })
}

function fieldSchema(kind: unknown, path: readonly PropertyKey[], problems: FieldProblem[]): z.ZodType | undefined {
  if (path.length > MAX_DEPTH) {
    problems.push({ path, problem: 'the fields are nested too deeply', fix: `Use at most ${MAX_DEPTH} levels.` })
    return undefined
  }
  if (typeof kind === 'string') return wordSchema(kind, path, problems)
  if (Array.isArray(kind)) {
    if (kind.length !== 1) {
      const fix = 'Write one kind in brackets: [text], or [{ file: path, issue: text }].'
      problems.push({ path, problem: `${shown(kind)} does not say what is in the list`, fix })
      return undefined
    }
    const item = fieldSchema(kind[0], [...path, 0], problems)
    return item && z.array(item, 'is not a list')
  }
  return objectSchema(kind, path, problems)
}

function wordSchema(kind: string, path: readonly PropertyKey[], problems: FieldProblem[]): z.ZodType | undefined {
  const known = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined
  if (known) return z.custom((value) => known.schema.safeParse(value).success, `is not ${known.expected}`)
  const words = kind.split('|').map((word) => word.trim())
  if (words.length > 1 && words.every((word) => WORD.test(word)))
    return z.enum(words, `is not one of ${words.join(', ')}`)
  const fix = `Write one of ${Object.keys(KINDS).join(', ')}, or words with | between them: complete | partial.`
  problems.push({ path, problem: `${shown(kind)} is not a kind of field`, fix })
  return undefined
}

function atLeastOne(schema: z.ZodType): z.ZodType {
  return schema.refine((value) => !Array.isArray(value) || value.length > 0, 'must not be empty')
}
