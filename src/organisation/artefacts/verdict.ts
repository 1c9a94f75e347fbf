import { matchesArtefact } from './match.ts'
import { filesIn, readArtefact } from './phase-folder.ts'

/**
 * pass   nothing stands against the work
 * warn   passed, with findings
 * fail   the work has to change, or a person or a higher level decides
 */
export type Outcome = 'pass' | 'warn' | 'fail'

/** What one review of a phase says. */
export interface Verdict {
  /** The file it stands in. */
  readonly artefact: string
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

/**
 * The verdicts in the artefacts that a step leaves, one per review: `r` of the first line, and of each line about another
 * plan. Artefacts without one are not reviews. A result that is not known is no approval.
 */
export function verdictsIn(folder: string, artefacts: readonly string[]): Verdict[] {
  const names = filesIn(folder).filter((name) => artefacts.some((artefact) => matchesArtefact(artefact, name)))
  return names.filter((name) => name.endsWith('.jsonl')).flatMap((artefact) => verdictsOf(folder, artefact))
}

function verdictsOf(folder: string, artefact: string): Verdict[] {
  const read = readArtefact(folder, artefact)
  if ('problem' in read) return []
  return read.text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(fieldsOf)
    .filter((fields, i) => 'r' in fields && (i === 0 || 'plan' in fields || artefact === MANUAL_QA))
    .map(({ r }) => {
      const key = String(r).toLowerCase()
      return { artefact, result: String(r), outcome: Object.hasOwn(OUTCOMES, key) ? OUTCOMES[key]! : 'fail' }
    })
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
