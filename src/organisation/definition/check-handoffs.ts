import { z } from 'zod'
import { shown } from '../../plan/shown-value.ts'
import { isDerived, isHandOff, messageType } from '../../team/message.ts'
import type { Handoff } from './handoff.ts'
import type { Role } from './organisation.ts'
import type { Checked } from './organisation-parts.ts'

type Report = (path: readonly PropertyKey[], problem: string, fix: string) => void

/** Finds hand-offs that no role could send, and types that belong to the runtime. */
export function checkHandoffs({ handoffFile, handoffs, parts, main }: Checked): void {
  const roles = main.names(['roles']) ?? []
  const departments = main.names(['departments']) ?? []
  for (const [type, handoff] of handoffs ?? []) {
    const report: Report = (path, problem, fix) => handoffFile?.report([type, ...path], problem, fix)
    checkType(type, report)
    for (const side of ['from', 'to'] as const)
      for (const end of handoff[side]) checkEnd(end, side, { roles, departments }, report)
    checkVia(handoff, parts.roles, report)
    if (handoff.progress !== undefined) checkProgress(handoff, handoff.progress, report)
  }
}

function checkType(type: string, report: Report): void {
  if (isDerived(type)) report([], `${type} is derived from the journal by the runtime`, 'Remove it: no agent sends it.')
  else if (messageType(type) !== undefined && !isHandOff(type))
    report([], `${type} is a message of the runtime`, 'Choose another name for the hand-off.')
}

interface Known {
  readonly roles: readonly string[]
  readonly departments: readonly string[]
}

function checkEnd(end: string, side: 'from' | 'to', { roles, departments }: Known, report: Report): void {
  if (end === 'any' || (end === 'up' && side === 'to')) return
  const [role = '', department] = end.split('/').reverse()
  if (!roles.includes(role))
    report(
      [side],
      `${shown(role)} is not one of the roles`,
      `Write one of: ${[...roles, side === 'to' ? 'up' : 'any'].join(', ')}.`,
    )
  if (department !== undefined && !departments.includes(department))
    report([side], `${shown(department)} is not one of the departments`, `Write one of: ${departments.join(', ')}.`)
}

function checkVia({ via, file, from, to }: Handoff, roles: ReadonlyMap<string, Role>, report: Report): void {
  if (via === 'file' && file === undefined) report(['via'], 'no file is named', 'Write file: api-contracts.jsonl.')
  if (via !== 'file' && file !== undefined)
    report(['file'], `it goes by ${via}, not by file`, 'Write via: file, or leave "file" out.')
  const kindOf = (end: string) => roles.get(end.split('/').at(-1) ?? '')?.kind
  for (const end of from) {
    const kind = kindOf(end)
    if (via === 'result' && kind !== undefined && kind !== 'task-only')
      report(['via'], `${end} is of kind ${kind} and hands over by message`, 'Write via: message.')
    if (via === 'message' && (kind === 'task-only' || kind === 'owner'))
      report(
        ['via'],
        `${end} is of kind ${kind} and sends no messages`,
        `Write via: ${kind === 'owner' ? 'file' : 'result'}.`,
      )
  }
  for (const end of to) {
    const kind = kindOf(end)
    if (via === 'message' && (kind === 'task-only' || kind === 'owner'))
      report(['via'], `${end} is of kind ${kind} and gets no messages`, 'Write via: file.')
  }
}

function checkProgress({ schema }: Handoff, field: string, report: Report): void {
  if (schema.shape[field] instanceof z.ZodEnum) return
  const words = Object.keys(schema.shape).filter((name) => schema.shape[name] instanceof z.ZodEnum)
  const fix =
    words.length > 0 ? `Write one of: ${words.join(', ')}.` : 'Add a field with words: status: proposed | agreed.'
  report(['progress'], `${shown(field)} is not a field with several words`, fix)
}
