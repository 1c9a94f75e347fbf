import { text } from './fixed-schema.ts'

/*
 * Every value of an organisation that names a file of a phase goes through the rules here: artefacts of steps and gates, `inputs`,
 * `reads`, and files of hand-offs.
 */

const MAX_LENGTH = 100
const PLAIN = /^[A-Za-z0-9_.-]+$/
const PATTERN = /^[A-Za-z0-9_.*-]+$/
const ARTEFACT = 'Write a file name of the phase folder without folders, like architecture.toon or "*.plan.jsonl".'
const HAND_OFF = 'Write a file name of the phase folder that ends in .jsonl, like api-contracts.jsonl.'

/** The file in which the status of a department is shown, which is no list of hand-offs. */
const STATUS_FILE = '.dept-status-{department}.json'
const DEPARTMENT = '{department}'

/** The name of an artefact, or a pattern with `*`. */
export const artefactName = text(ARTEFACT).refine((name) => isName(name, PATTERN), ARTEFACT)

/** A file that the runtime writes, one hand-off per line. `{department}` stands for the name of the sender's department. */
export const handOffFileName = text(HAND_OFF).refine(
  (name) => name === STATUS_FILE || (isName(name.replaceAll(DEPARTMENT, 'x'), PLAIN) && name.endsWith('.jsonl')),
  HAND_OFF,
)

function isName(name: string, characters: RegExp): boolean {
  return name.length <= MAX_LENGTH && characters.test(name) && !/^\.+$/.test(name)
}

/** The names that a file of hand-offs has in an organisation with these departments. */
export function namesOf(file: string, departments: readonly string[]): string[] {
  if (!file.includes(DEPARTMENT)) return [file]
  return departments.map((department) => file.replaceAll(DEPARTMENT, department))
}
