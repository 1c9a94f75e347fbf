import { basename, join } from 'node:path'
import { statusOf } from '../../../permissions/paths/safe-reads.ts'
import { foldersIn, jsonFilesIn, readJsonFile } from './claude-files.ts'

export interface ClaudeTeam {
  readonly name: string
  readonly description: string
  readonly members: readonly { readonly name: string; readonly role: string | null }[]
  readonly tasks: readonly ClaudeTask[]
  readonly mail: readonly ClaudeMessage[]
  /** What could not be read or has no place here, each with the reason. */
  readonly left: string[]
}

export interface ClaudeTask {
  readonly id: string
  readonly subject: string
  readonly description: string
  readonly activeForm: string | null
  readonly status: string
  readonly owner: string | null
  readonly blockedBy: readonly string[]
}

export interface ClaudeMessage {
  readonly to: string
  readonly from: string
  readonly text: string
  readonly summary: string | null
  /** As it is written there. */
  readonly timestamp: string | null
  readonly read: boolean
}

type Plain = Readonly<Record<string, unknown>>

/** Names of all teams, and of task lists that belong to none. */
export function claudeTeams(folder: string, left: string[]): string[] {
  const names = ['teams', 'tasks'].flatMap((kind) => foldersIn(join(folder, kind), left))
  return [...new Set(names)].sort()
}

/** A team of Claude Code with its board and its mail; undefined if there is neither a team nor a task list of this name. */
export function readClaudeTeam(folder: string, name: string): ClaudeTeam | undefined {
  const [home, board] = [join(folder, 'teams', name), join(folder, 'tasks', name)]
  const isFolder = (path: string) => statusOf(path)?.isDirectory() === true
  if (!isFolder(home) && !isFolder(board)) return undefined
  const left: string[] = []
  const config = isFolder(home) ? objectOf(readJsonFile(join(home, 'config.json'), left)) : {}
  const members = listOf(config.members, `${join(home, 'config.json')}: members`, left)
  const tasks = isFolder(board) ? jsonFilesIn(board, left) : []
  const inboxes = isFolder(home) ? jsonFilesIn(join(home, 'inboxes'), left) : []
  return {
    name,
    description: textOf(config.description) ?? '',
    members: members.flatMap((one, i) => memberOf(one, `${join(home, 'config.json')}: member ${i + 1}`, left)),
    tasks: tasks.flatMap((path) => taskOf(readJsonFile(path, left), path, left)),
    mail: inboxes.flatMap((path) => mailOf(readJsonFile(path, left), path, left)),
    left,
  }
}

function memberOf(value: unknown, where: string, left: string[]): ClaudeTeam['members'] {
  const member = objectOf(value)
  const name = textOf(member.name)
  if (name === undefined) {
    left.push(`${where}: it has no name`)
    return []
  }
  nameOthers(member, MEMBER_KEYS, `of the member ${name}`, left)
  return [{ name, role: textOf(member.role) ?? textOf(member.agentType) ?? null }]
}

const MEMBER_KEYS = ['name', 'role', 'agentType']
const TASK_KEYS = ['id', 'subject', 'description', 'activeForm', 'status', 'owner', 'blockedBy', 'blocks']
const MESSAGE_KEYS = ['from', 'text', 'summary', 'timestamp', 'read', 'color']

function taskOf(value: unknown, path: string, left: string[]): ClaudeTask[] {
  if (value === undefined) return []
  const task = objectOf(value)
  const subject = textOf(task.subject)
  if (subject === undefined) {
    left.push(`${path}: it is not a task with a subject`)
    return []
  }
  const id = textOf(task.id) ?? (typeof task.id === 'number' ? String(task.id) : basename(path, '.json'))
  if (task.description !== undefined && typeof task.description !== 'string')
    left.push(`${path}: its description is not a text`)
  if (task.blockedBy !== undefined && !Array.isArray(task.blockedBy)) left.push(`${path}: its blockedBy is not a list`)
  nameOthers(task, TASK_KEYS, `of task ${id}`, left)
  return [
    {
      ...{ id, subject, description: textOf(task.description) ?? '', activeForm: textOf(task.activeForm) ?? null },
      ...{ status: textOf(task.status) ?? 'pending', owner: textOf(task.owner) ?? null },
      blockedBy: idsOf(task.blockedBy),
    },
  ]
}

function mailOf(value: unknown, path: string, left: string[]): ClaudeMessage[] {
  if (value === undefined) return []
  const to = basename(path, '.json')
  return listOf(value, path, left).flatMap((one, i) => {
    const message = objectOf(one)
    const text = textOf(message.text)
    if (text === undefined) {
      left.push(`${path}: message ${i + 1} has no text`)
      return []
    }
    nameOthers(message, MESSAGE_KEYS, `of message ${i + 1} to ${to}`, left)
    const { from, summary, timestamp } = message
    return [
      {
        ...{ to, from: textOf(from) ?? 'unknown', text, summary: textOf(summary) ?? null },
        ...{ timestamp: textOf(timestamp) ?? null, read: message.read === true },
      },
    ]
  })
}

/** Members of an object that have no place here. */
function nameOthers(value: Plain, known: readonly string[], of: string, left: string[]): void {
  const others = Object.keys(value).filter((key) => !known.includes(key))
  if (others.length > 0) left.push(`${others.slice(0, 20).join(', ')} ${of}: there is no place for it here`)
}

function listOf(value: unknown, where: string, left: string[]): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (value !== undefined) left.push(`${where}: it is not a list`)
  return []
}

function objectOf(value: unknown): Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Plain) : {}
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function idsOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : []
  return list.flatMap((id) => (typeof id === 'string' || typeof id === 'number' ? [String(id)] : []))
}
