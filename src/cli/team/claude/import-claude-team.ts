import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TeamHandle } from '../../../journal/team-handle.ts'
import { joinWithToken } from '../../../session/member-tokens.ts'
import { isRole, roleRule } from '../../../team/members/role.ts'
import { nameKey } from '../../../team/name.ts'
import { isRefusal } from '../../../team/refusal.ts'
import { memberNamed } from '../../../team/state.ts'
import { counted } from '../../../team/wording.ts'
import type { Call } from '../../program/context.ts'
import { refusalForPerson } from '../../refusal-text.ts'
import type { ClaudeMessage, ClaudeTask, ClaudeTeam } from './read-claude-team.ts'

export interface Imported {
  readonly members: number
  readonly messages: number
  readonly tasks: number
  /** Everything that is not in the new team, each with the reason. */
  readonly left: readonly string[]
}

const DEFAULT_ROLE = 'member'
const LEAD_NAMES = ['lead', 'team-lead']

/** Fills a new team: members join as external ones, unread mail is delivered as external mail, open tasks are put on the board. */
export async function importClaudeTeam(
  call: Call,
  team: TeamHandle,
  inboxFolder: string | undefined,
  source: ClaudeTeam,
): Promise<Imported> {
  const left = [...source.left]
  const members = await importMembers(call, team, source, left)
  const tasks = await importTasks(team, source.tasks, left)
  const messages = await importMail(team, inboxFolder, source.mail, left)
  return { members, messages, tasks, left }
}

/** Our name of a member of Claude Code, which calls the lead `team-lead`. */
function ourName(name: string): string {
  return LEAD_NAMES.includes(nameKey(name)) ? 'lead' : name
}

async function importMembers(call: Call, team: TeamHandle, { members }: ClaudeTeam, left: string[]): Promise<number> {
  let count = 0
  for (const { name, role } of members) {
    if (ourName(name) === 'lead') continue
    const isKept = role === null || isRole(role)
    const answer = await joinWithToken(team, call.env, { name, role: isKept ? (role ?? DEFAULT_ROLE) : DEFAULT_ROLE })
    if (isRefusal(answer)) left.push(`member ${JSON.stringify(name.slice(0, 80))}: ${refusalForPerson(answer)}`)
    else count++
    if (!isRefusal(answer) && !isKept) left.push(`role of ${name}, who joined as ${DEFAULT_ROLE}: ${roleRule(role)}`)
  }
  return count
}

const MAX_SUBJECT = 500

/** Open tasks with their order, in one decision; what is done stays where it is. */
async function importTasks(team: TeamHandle, all: readonly ClaudeTask[], left: string[]): Promise<number> {
  const known = new Map(all.map((task) => [task.id, task]))
  const open = [...known.values()].filter(({ id, status }) => {
    const isOpen = status === 'pending' || status === 'in_progress'
    if (!isOpen) left.push(`task ${id}: it is ${status.slice(0, 40)}`)
    return isOpen
  })
  if (known.size < all.length) left.push(`${counted(all.length - known.size, 'task')} with an id that another one has`)
  if (open.length === 0) return 0
  open.sort((a, b) => Number(a.id) - Number(b.id) || (a.id < b.id ? -1 : 1))
  const places = new Map(open.map(({ id }, i) => [id, `+${i + 1}`]))
  const blockers = withoutCycles(open, known, left)
  const drafts = open.map((task) => {
    const { id, subject, description, activeForm, status } = task
    const owner = task.owner === null ? undefined : memberNamed(team.state, ourName(task.owner))
    if (task.owner !== null && !owner)
      left.push(`owner of task ${id}: no member is called ${JSON.stringify(task.owner)}`)
    if (status === 'in_progress') left.push(`state of task ${id}: it was in progress there and is pending here`)
    const line = subject.replace(/\s+/g, ' ')
    if (line.length > MAX_SUBJECT)
      left.push(`end of the subject of task ${id}: it is longer than ${MAX_SUBJECT} characters`)
    return {
      ...{ subject: line.slice(0, MAX_SUBJECT) || `Task ${id}`, description },
      ...(activeForm !== null && { activeForm }),
      ...(owner && owner.name !== 'lead' && { assignee: owner.name }),
      blockedBy: [...(blockers.get(id) ?? [])].flatMap((other) => places.get(other) ?? []),
    }
  })
  const answer = await team.run({ type: 'task.add', tasks: drafts })
  if (!isRefusal(answer)) return open.length
  left.push(`${counted(open.length, 'task')}: ${refusalForPerson(answer)}`)
  return 0
}

/** What each task waits for; of a circle the step that closes it is left out, and named. */
function withoutCycles(
  open: readonly ClaudeTask[],
  known: ReadonlyMap<string, ClaudeTask>,
  left: string[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const waits = new Map<string, Set<string>>(open.map(({ id }) => [id, new Set()]))
  const reaches = (from: string, to: string): boolean => {
    const seen = new Set<string>()
    const next = [from]
    for (let at = next.pop(); at !== undefined; at = next.pop()) {
      if (at === to) return true
      if (seen.has(at)) continue
      seen.add(at)
      next.push(...(waits.get(at) ?? []))
    }
    return false
  }
  for (const { id, blockedBy } of open)
    for (const other of blockedBy) {
      if (!known.has(other))
        left.push(`task ${id} waits for ${JSON.stringify(other.slice(0, 80))}: there is no such task`)
      // A task that is done is not waited for any more.
      if (!waits.has(other)) continue
      if (reaches(other, id)) left.push(`task ${id} waits for ${other}: they wait for each other`)
      else waits.get(id)!.add(other)
    }
  return waits
}

/** About processes of Claude Code, which are not here. */
const CONTROL_TYPES =
  /^(idle_notification|teammate_terminated|shutdown_\w+|permission_\w+|sandbox_permission_\w+|mode_set\w*|team_permission_\w+)$/

/** Appended to the inbox files like lines of any program: their senders are unverified. */
async function importMail(
  team: TeamHandle,
  inboxFolder: string | undefined,
  mail: readonly ClaudeMessage[],
  left: string[],
): Promise<number> {
  let count = 0
  for (const to of new Set(mail.map((message) => message.to))) {
    const own = mail.filter((message) => message.to === to)
    const unread = own.filter(({ read }) => !read)
    if (unread.length < own.length) left.push(`${counted(own.length - unread.length, 'message')} to ${to}: read before`)
    const control = unread.filter(({ text }) => CONTROL_TYPES.test(typeIn(text) ?? ''))
    const types = [...new Set(control.map(({ text }) => typeIn(text)))].join(', ')
    if (control.length > 0)
      left.push(`${counted(control.length, 'message')} to ${to} (${types}): about processes that are not here`)
    const rest = unread.filter((message) => !control.includes(message))
    const member = memberNamed(team.state, ourName(to))
    const why = member
      ? 'mailbox files are imported on --store files only'
      : `no member is called ${JSON.stringify(to)}`
    if (rest.length > 0 && (!member || inboxFolder === undefined))
      left.push(`${counted(rest.length, 'message')} to ${to}: ${why}`)
    if (!member || inboxFolder === undefined || rest.length === 0) continue
    mkdirSync(inboxFolder, { recursive: true, mode: 0o700 })
    const lines = rest.map((message) => `${JSON.stringify(lineOf(message))}\n`).join('')
    appendFileSync(join(inboxFolder, `${member.name}.jsonl`), lines, { mode: 0o600 })
    count += rest.length
  }
  const from = team.cursor
  await team.ingest()
  await team.refresh()
  return count - (await rejected(team, from, left))
}

function lineOf({ from, text, summary, timestamp }: ClaudeMessage): object {
  const at = timestamp === null ? Number.NaN : Date.parse(timestamp) / 1000
  const content = summary === null || text.includes(summary) ? text : `${summary}\n\n${text}`
  return { type: 'message', from: ourName(from), content, ...(Number.isFinite(at) && { timestamp: at }) }
}

/** The `type` of a text that is JSON: how Claude Code's own messages are written. */
function typeIn(text: string): string | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    const { type } = JSON.parse(text) as { type?: unknown }
    return typeof type === 'string' ? type : undefined
  } catch {
    return undefined
  }
}

/** How many lines the mailboxes refused, each named with its reason. */
async function rejected(team: TeamHandle, from: TeamHandle['cursor'], left: string[]): Promise<number> {
  let count = 0
  for (let at = from; ; ) {
    const batch = await team.log.read(at)
    const last = batch.at(-1)
    if (!last) return count
    for (const { record } of batch)
      for (const event of Array.isArray(record.events) ? record.events : []) {
        const { type, reason, to } = event as { type?: string; reason?: string; to?: string }
        if (type !== 'external.rejected') continue
        count++
        left.push(`a message to ${to}: ${reason}`)
      }
    at = { seq: last.seq, id: last.record.id, last: at.last }
  }
}
