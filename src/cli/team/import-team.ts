import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { openTeam, type TeamHandle } from '../../journal/team-handle.ts'
import { joinWithToken } from '../../session/member-tokens.ts'
import { type TeamView, teamView } from '../../team/answers/view.ts'
import { isRole, roleRule } from '../../team/members/role.ts'
import { nameKey } from '../../team/name.ts'
import { isRefusal } from '../../team/refusal.ts'
import { memberNamed } from '../../team/state.ts'
import type { TaskDraft } from '../../team/task.ts'
import { counted } from '../../team/wording.ts'
import type { Workspace } from '../../workspace.ts'
import type { Call } from '../program/context.ts'
import { Refused } from '../program/failure.ts'
import { refusalForPerson } from '../refusal-text.ts'

export interface Imported {
  readonly members: number
  readonly messages: number
  readonly tasks: number
  /** What could not be brought in, and why. */
  readonly left: readonly string[]
}

/** The folder that `--from` names, or why nothing can be brought in from there; asked before a team is made. */
export function oldTeam(call: Call, from: string): string {
  const folder = resolve(call.cwd, call.globals.cwd ?? '.', from)
  if (isOldTeam(folder)) return folder
  const what = existsSync(folder) ? 'holds neither inbox/ nor a config.json with members' : 'is not there'
  const message = `${folder} ${what}, so there is nothing to bring in, and no team was made. Name the folder of the old layout, such as .team; or leave out --from.`
  throw new Refused({ code: 'invalid', message })
}

function isOldTeam(folder: string): boolean {
  if (existsSync(join(folder, 'inbox')) || existsSync(join(folder, 'inboxes'))) return true
  const config = join(folder, 'config.json')
  return existsSync(config) && Array.isArray(readJson(config, [])?.members)
}

/**
 * Fills a new team from the layout that came before: `config.json` and `inbox/*.jsonl` in the given folder, and
 * `task_<id>.json` files in `.tasks` beside it. They are copied, not moved.
 */
export async function importTeam(
  call: Call,
  { store, root, teamsFolder }: Workspace,
  name: string,
  folder: string,
): Promise<{ filled: TeamView; imported: Imported }> {
  const left: string[] = []
  await using team = await openTeam(store, name, { clock: call.clock })
  await team.refresh()
  const members = await importMembers(call, team, folder, left)
  // The default team reads the old mailbox files itself: a copy would bring in each line twice.
  const readsOldFiles = nameKey(name) === 'default' && folder === join(root, '.team')
  const inbox = readsOldFiles || teamsFolder === undefined ? undefined : join(teamsFolder, name, 'inbox')
  const messages = teamsFolder === undefined ? leaveMail(folder, left) : await importMail(team, folder, inbox, left)
  const tasks = await importTasks(team, join(dirname(folder), '.tasks'), left)
  return { filled: teamView(team.state), imported: { members, messages, tasks, left } }
}

/** Of members that have none. */
const DEFAULT_ROLE = 'member'

/** Claude Code calls the lead of a team `team-lead`. */
function isLeadName(name: string): boolean {
  return ['lead', 'team-lead'].includes(nameKey(name))
}

async function importMembers(call: Call, team: TeamHandle, folder: string, left: string[]): Promise<number> {
  const path = join(folder, 'config.json')
  const config = existsSync(path) ? readJson(path, left) : undefined
  const members = Array.isArray(config?.members) ? config.members : []
  let count = 0
  for (const member of members) {
    const name = String(member?.name ?? '')
    if (isLeadName(name)) continue
    const written = member?.role === undefined || member.role === null ? DEFAULT_ROLE : String(member.role)
    const isKept = isRole(written)
    const answer = await joinWithToken(team, call.env, { name, role: isKept ? written : DEFAULT_ROLE })
    if (isRefusal(answer)) left.push(`member ${JSON.stringify(name)}: ${refusalForPerson(answer)}`)
    else count++
    if (!isRefusal(answer) && !isKept) left.push(`role of ${name}, who joined as ${DEFAULT_ROLE}: ${roleRule(written)}`)
  }
  return count
}

/** Appended to the inbox files like lines of any program, so that old keys, broken lines and unknown types get the same treatment. */
async function importMail(
  team: TeamHandle,
  folder: string,
  inboxFolder: string | undefined,
  left: string[],
): Promise<number> {
  for (const path of mailboxesIn(folder)) {
    const name = basename(path).replace(/\.jsonl?$/, '')
    const member = memberNamed(team.state, isLeadName(name) ? 'lead' : name)
    if (!member) {
      left.push(`${path}: no member is called ${JSON.stringify(name)}`)
      continue
    }
    const text = path.endsWith('.json') ? linesOfList(path, left) : readFileSync(path, 'utf8').trim()
    if (text === '' || inboxFolder === undefined) continue
    mkdirSync(inboxFolder, { recursive: true, mode: 0o700 })
    appendFileSync(join(inboxFolder, `${member.name}.jsonl`), `${text}\n`, { mode: 0o600 })
  }
  const from = team.cursor
  await team.ingest()
  await team.refresh()
  let count = 0
  for (let at = from; ; ) {
    const batch = await team.log.read(at)
    const last = batch.at(-1)
    if (!last) return count
    for (const { record } of batch) {
      for (const event of Array.isArray(record.events) ? record.events : []) {
        const { type, reason, to } = event as { type?: string; reason?: string; to?: string }
        if (type === 'external.received') count++
        if (type === 'external.rejected') left.push(`a line for ${to}: ${reason}`)
      }
    }
    at = { seq: last.seq, id: last.record.id, last: at.last }
  }
}

/** `inbox/NAME.jsonl` of the old layout, `inboxes/NAME.json` of Claude Code. */
function mailboxesIn(folder: string): string[] {
  const list = (name: string, ending: RegExp) => {
    const inbox = join(folder, name)
    const files = existsSync(inbox) ? readdirSync(inbox).filter((file) => ending.test(file)) : []
    return files.sort().map((file) => join(inbox, file))
  }
  return [...list('inbox', /\.jsonl$/), ...list('inboxes', /\.jsonl?$/)]
}

/** A mailbox of Claude Code is one JSON list; what was read before stays there. */
function linesOfList(path: string, left: string[]): string {
  const list = readList(path, left)
  const unread = list.filter((message) => message?.read !== true)
  if (unread.length < list.length) left.push(`${path}: ${counted(list.length - unread.length, 'message')} read before`)
  return unread
    .map((message) => {
      const { from, text, content = text, timestamp } = message ?? {}
      const at = typeof timestamp === 'string' ? Date.parse(timestamp) / 1000 : timestamp
      const sent = typeof at === 'number' && Number.isFinite(at) ? { timestamp: at } : {}
      return JSON.stringify({ type: 'message', from, content, ...sent })
    })
    .join('\n')
}

function readList(path: string, left: string[]): Old[] {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (Array.isArray(value)) return value
    left.push(`${path}: not a JSON list of messages`)
  } catch (error) {
    left.push(`${path}: ${error instanceof Error ? error.message : error}`)
  }
  return []
}

/** Mail is imported through inbox files, which only the files store has. */
function leaveMail(folder: string, left: string[]): number {
  for (const path of mailboxesIn(folder)) left.push(`${path}: mailbox files are brought in on --store files only`)
  return 0
}

/** Open tasks with their order; what is done stays where it is. One decision: all of them or none. */
async function importTasks(team: TeamHandle, folder: string, left: string[]): Promise<number> {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => /^task_.+\.json$/.test(file)) : []
  const old = files.flatMap((file) => {
    const task = readJson(`${folder}/${file}`, left)
    if (!task) return []
    const id = String(task.id ?? file.slice('task_'.length, -'.json'.length))
    if (task.status !== 'completed' && task.status !== 'deleted') return [{ ...task, id }]
    left.push(`task ${id}: already ${task.status}`)
    return []
  })
  const tasks = inOrder(old)
  if (tasks.length === 0) return 0
  const newIds = new Map(tasks.map((task, i) => [task.id, `+${i + 1}`]))
  const blockers = blockersIn(tasks)
  const drafts = tasks.map((task) => draftOf(task, blockers.get(task.id) ?? [], newIds, team))
  const answer = await team.run({ type: 'task.add', tasks: drafts })
  if (!isRefusal(answer)) return tasks.length
  left.push(`${counted(tasks.length, 'task')}: ${refusalForPerson(answer)}`)
  return 0
}

// biome-ignore lint/suspicious/noExplicitAny: a file of another program, every member is looked at before it is used
type Old = Record<string, any>

/** Task → tasks that name it in `blocks`. */
function blockersIn(tasks: readonly Old[]): Map<string, string[]> {
  const blockers = new Map<string, string[]>()
  for (const { id, blocks } of tasks)
    for (const blocked of idsIn(blocks)) {
      const others = blockers.get(blocked)
      if (others) others.push(id)
      else blockers.set(blocked, [id])
    }
  return blockers
}

function draftOf(
  task: Old,
  naming: readonly string[],
  newIds: ReadonlyMap<string, string>,
  team: TeamHandle,
): TaskDraft {
  const named = [...idsIn(task.blocked_by), ...idsIn(task.blockedBy)]
  // Done or unknown ones are no longer waited for: completing removed them from these lists.
  const blockedBy = [...new Set([...named, ...naming])].flatMap((id) => newIds.get(id) ?? [])
  const owner = typeof task.owner === 'string' ? memberNamed(team.state, task.owner) : undefined
  const activeForm = task.active_form ?? task.activeForm
  return {
    subject: String(task.subject ?? `Task ${task.id}`)
      .replace(/\s+/g, ' ')
      .slice(0, 500),
    description: typeof task.description === 'string' ? task.description : '',
    ...(typeof activeForm === 'string' && { activeForm }),
    ...(owner && { assignee: owner.name }),
    blockedBy,
  }
}

function idsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** By number, and those without one behind the others. */
function inOrder(tasks: readonly Old[]): Old[] {
  const numbered = tasks.map((task) => ({ task, number: /^\d+$/.test(task.id) ? Number(task.id) : Infinity }))
  numbered.sort((a, b) => {
    if (a.number !== b.number) return a.number - b.number
    return a.task.id < b.task.id ? -1 : a.task.id > b.task.id ? 1 : 0
  })
  return numbered.map(({ task }) => task)
}

function readJson(path: string, left: string[]): Old | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
    left.push(`${path}: not a JSON object`)
  } catch (error) {
    left.push(`${path}: ${error instanceof Error ? error.message : error}`)
  }
  return undefined
}
