import { artefactOf, matchesArtefact, planInName, withoutPrefix } from './match.ts'
import { filesIn, readArtefact } from './phase-folder.ts'

/**
 * pass   nothing stands against the work
 * warn   passed, with findings
 * fail   the work has to change, or a person or a higher level decides
 */
export type Outcome = 'pass' | 'warn' | 'fail'

/** What one review of a phase says. */
export interface Verdict {
  /** The artefact it belongs to, without a plan or the prefix of its department before its name. */
  readonly artefact: string
  /** Where it stands: the file, or the hand-off and its sender. */
  readonly where: string
  /** The plan it is about; null: all of them. */
  readonly plan: string | null
  /** As it is written there: `changes_requested`. */
  readonly result: string
  readonly outcome: Outcome
}

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  approve: 'pass',
  pass: 'pass',
  skip: 'pass',
  warn: 'warn',
  partial: 'fail',
  fail: 'fail',
  changes_requested: 'fail',
}

/** What a result means; undefined for a word that is none. */
export function outcomeOf(result: string): Outcome | undefined {
  const key = result.toLowerCase()
  return Object.hasOwn(OUTCOMES, key) ? OUTCOMES[key] : undefined
}

/**
 * The verdicts in the artefacts that a step leaves, one per review: `r` of the first line, and of each line about another
 * plan. Artefacts without one are not reviews. A result that is not known is no approval.
 */
export function verdictsIn(folder: string, artefacts: readonly string[], prefix = ''): Verdict[] {
  const names = filesIn(folder).filter((name) => artefacts.some((artefact) => matchesArtefact(artefact, name)))
  return names.filter((name) => name.endsWith('.jsonl')).flatMap((name) => verdictsOf(folder, name, prefix))
}

function verdictsOf(folder: string, name: string, prefix: string): Verdict[] {
  const read = readArtefact(folder, name)
  if ('problem' in read) return []
  const artefact = withoutPrefix(artefactOf(name), prefix)
  const heads = read.text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(fieldsOf)
    .filter((fields, i) => 'r' in fields && (i === 0 || 'plan' in fields || artefact === MANUAL_QA))
  return heads
    .filter((head) => !heads.some((other) => isLaterCycle(other, head)))
    .map(({ r, plan }) => ({
      ...{ artefact, where: name, result: String(r), outcome: outcomeOf(String(r)) ?? 'fail' },
      plan: typeof plan === 'string' ? plan : (planInName(name) ?? null),
    }))
}

/** A file to which each cycle adds its result: the last cycle counts. */
function isLaterCycle(other: Record<string, unknown>, head: Record<string, unknown>): boolean {
  const [theirs, own] = [other.cycle, head.cycle]
  return typeof theirs === 'number' && typeof own === 'number' && theirs > own && other.plan === head.plan
}

/** Each of its lines is a check with a result. */
const MANUAL_QA = 'manual-qa.jsonl'

function fieldsOf(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Of several verdicts the worst one counts. */
export function worstOf(verdicts: readonly Verdict[]): Outcome {
  const all = verdicts.map(({ outcome }) => outcome)
  return all.includes('fail') ? 'fail' : all.includes('warn') ? 'warn' : 'pass'
}
