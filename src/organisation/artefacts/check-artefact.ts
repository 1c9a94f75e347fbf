import type { z } from 'zod'
import { artefactOf, planInName, withoutPrefix } from './match.ts'
import { ARTEFACTS, type ArtefactSchema } from './schemas.ts'

/**
 * Why a file of a phase does not count as the artefact that its name says; undefined where it does. Files that no schema
 * knows (`architecture.toon`) must hold something. `prefix` is that of the department whose artefact it is.
 */
export function artefactProblem(name: string, text: string, prefix = ''): string | undefined {
  const key = /^(.*)\.jsonl$/.exec(withoutPrefix(artefactOf(name), prefix))?.[1] ?? ''
  const schema = Object.hasOwn(ARTEFACTS, key) ? ARTEFACTS[key] : undefined
  if (!schema) return text.trim() === '' ? 'is empty' : undefined
  const lines = text.split('\n').map((line, i) => ({ line, number: i + 1 }))
  const filled = lines.filter(({ line }) => line.trim() !== '')
  if (filled.length === 0) return schema.mayBeEmpty ? undefined : 'is empty'
  const plan = planInName(name)
  for (const [i, { line, number }] of filled.entries()) {
    const problem = lineProblem(line, schema, { isFirst: i === 0, plan })
    if (problem !== undefined) return `line ${number}: ${problem}`
  }
  const { one } = schema
  if (!one || filled.some(({ line }) => one.safeParse(JSON.parse(line)).success)) return undefined
  const [issue] = one.safeParse(JSON.parse(filled[0]!.line)).error?.issues ?? []
  return issue && `no line has what one must have: ${keyProblem(issue)}`
}

function lineProblem(
  line: string,
  schema: ArtefactSchema,
  { isFirst, plan }: { readonly isFirst: boolean; readonly plan: string | undefined },
): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return 'is not JSON'
  }
  const isHead = schema.head && (isFirst || isOfPlan(value))
  const [issue] = (isHead ? schema.head! : schema.line).safeParse(value).error?.issues ?? []
  if (issue) return keyProblem(issue)
  if (isHead && plan !== undefined && isOfPlan(value) && value.plan !== plan)
    return `"plan" is ${JSON.stringify(value.plan)}, but the file is about ${plan}`
  return undefined
}

/** A file for several plans has a first line for each. */
function isOfPlan(value: unknown): value is { readonly plan: unknown; readonly r: unknown } {
  return typeof value === 'object' && value !== null && 'plan' in value && 'r' in value
}

function keyProblem({ path, message }: z.core.$ZodIssue): string {
  return `"${path.join('.')}" ${message}`
}
