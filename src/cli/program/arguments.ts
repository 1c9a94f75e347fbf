import { isRole, roleRule } from '../../team/members/role.ts'
import { answersRequest, isDerived, isRuntimeFact, MessageType, messageType } from '../../team/message.ts'
import { isName, nameRule } from '../../team/name.ts'
import { Estimate, type TaskStatus, taskStatus } from '../../team/task.ts'
import { Misused } from './failure.ts'

// Parsers of arguments: each returns a valid value or exits with 2 and a reason. No later code gets raw text that could
// end up in a path.

export function name(text: string): string {
  if (!isName(text)) throw new Misused(nameRule(text))
  return text
}

export function role(text: string): string {
  if (!isRole(text)) throw new Misused(roleRule(text))
  return text
}

/** `''` removes the value. */
export function roleOrNone(text: string): string {
  return text === '' ? '' : role(text)
}

/**
 * An argument that cannot be the name of a member. The refusal lists the members of the team, so it has to wait until
 * --team and --cwd are parsed. No command ever gets one.
 */
export class NotAName {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** An existing member. */
export function member(text: string): string | NotAName {
  return isName(text) ? text : new NotAName(text)
}

export function memberOrNone(text: string): string | NotAName {
  return text === '' ? '' : member(text)
}

/** `90`, `90s`, `10m`, `2h`, `1d`, in seconds. */
export function duration(text: string): number {
  const [, digits = '', unit = 's'] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? []
  const seconds = Number(digits) * (SECONDS[unit || 's'] ?? 0)
  if (seconds <= 0) throw new Misused(`${quote(text)} is not a time. Write 90, 90s, 10m, 2h or 1d.`)
  return seconds
}

/** 0 or more. */
export function count(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new Misused(`${quote(text)} is not a number. Use 0 or more.`)
  return Number(text)
}

/** Of TCP; 0 is a free one. */
export function port(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(number <= 65_535)) throw new Misused(`${quote(text)} is not a port. Use 0 to 65535.`)
  return number
}

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** `a,b` and repeated options add up. Commas inside braces belong to a glob: `src/{a,b}.ts` is one pattern. */
export function list(text: string, before: string[] = []): string[] {
  const items = text.split(/,(?![^{}]*\})/).map((item) => item.trim())
  return [...before, ...items.filter((item) => item !== '')]
}

export function priority(text: string): number {
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  if (!(value <= 10)) throw new Misused(`${quote(text)} is not a priority. Use 0 to 10; 10 is the most urgent.`)
  return value
}

export function estimate(text: string): number {
  const parsed = Estimate.safeParse(/^\d{1,4}$/.test(text) ? Number(text) : undefined)
  if (!parsed.success) throw new Misused(`${quote(text)} is not an estimate. Use 1 to 1000; an ordinary task counts 1.`)
  return parsed.data
}

export function status(text: string): TaskStatus {
  const found = taskStatus(text)
  if (!found)
    throw new Misused(`${quote(text)} is not a status. Use pending, in_progress, completed, failed or deleted.`)
  return found
}

/** A state that a task on the board can be in. */
export function boardStatus(text: string): Exclude<TaskStatus, 'deleted'> {
  const found = status(text)
  if (found !== 'deleted') return found
  throw new Misused(
    'Deleted tasks are no longer on the board. Use pending, in_progress, completed or failed; or see: deskmates log --grep deleted',
  )
}

/** What `send` may be asked for. What answers a request, or comes from a runtime, is refused there with what to do. */
export function type(text: string): MessageType {
  const found = messageType(text)
  const isSent = (one: MessageType) => !isRuntimeFact(one) && !isDerived(one) && !answersRequest(one)
  const sendable = MessageType.options.filter(isSent)
  if (!found) throw new Misused(`${quote(text)} is not a type that can be sent. Use one of: ${sendable.join(', ')}.`)
  return found
}

export function kind(text: string): 'external' | 'human' {
  if (text === 'external' || text === 'human') return text
  throw new Misused(`${quote(text)} is not a kind. Use external (a script or program) or human (a person).`)
}

export function verdict(text: string): 'approve' | 'reject' {
  if (text === 'approve' || text === 'reject') return text
  throw new Misused(`${quote(text)} is not an answer. Use approve or reject.`)
}

export function seq(text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new Misused(`${quote(text)} is not a position in the log. Use a seq as deskmates log prints it.`)
  return Number(text)
}

export function commandId(text: string): string {
  if (!/^[A-Za-z0-9._:-]{1,128}$/.test(text))
    throw new Misused(`${quote(text)} is not a command id. Use 1 to 128 of A-Z a-z 0-9 . _ : -`)
  return text
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
