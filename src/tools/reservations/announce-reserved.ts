import { relative, sep } from 'node:path'
import { claims } from '../../team/board/board.ts'
import { firstOverlap } from '../../team/board/reservation.ts'
import { nameKey } from '../../team/name.ts'
import type { ClaimedTask } from '../../team/task.ts'
import type { TeamMembership } from '../team-membership.ts'
import type { JobEnd, Jobs, Tool, ToolContext, ToolResult } from '../tool.ts'
import { type CommandWatch, noteWritten, watchCommand } from './watch-command.ts'

/**
 * A tool that writes into a file which a live claim of another member reserves still writes it, but both are told: the
 * writer in the result, the owner by a message, once for each file and assignment. File tools say what they write; around
 * a command the reserved files are compared, however the command writes them.
 */
export function announcingReserved(tools: readonly Tool[]): Tool[] {
  const announced = new Set<string>()
  return tools.map((tool) => {
    if (tool.isReadOnly) return tool
    return {
      ...tool,
      async run(input, context) {
        if (tool.action?.(input)?.kind === 'run') return runWatched(tool, input, context, announced)
        const written: string[] = []
        const onWrite = (path: string) => {
          written.push(path)
          noteWritten(context.root, path)
        }
        const result = await tool.run(input, { ...context, onWrite })
        const names = [...new Set(written)].map((path) => relative(context.root, path)).filter(isBelow)
        return withNotes(result, await announce({ names, how: 'written' }, context, announced))
      },
    }
  })
}

/** Not the root itself and nothing outside of it. */
function isBelow(name: string): boolean {
  return name !== '' && name !== '..' && !name.startsWith(`..${sep}`)
}

function withNotes(result: ToolResult, notes: readonly string[]): ToolResult {
  return notes.length === 0 ? result : { ...result, text: [result.text, ...notes].join('\n') }
}

/** A command, or the background job that it starts: each is compared when it has ended. */
async function runWatched(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  announced: Set<string>,
): Promise<ToolResult> {
  const watched = async <T>(work: () => Promise<T>, add: (result: T, notes: readonly string[]) => T): Promise<T> => {
    // A subagent acts as the member that started it.
    const agent = context.memberships().at(-1)?.name ?? context.agent
    using watch = watchCommand({ root: context.root, agent }, await reservedByOthers(context))
    try {
      const result = await work()
      return add(result, await announceChanges(watch, context, announced))
    } catch (error) {
      // The command was stopped. There is no result to add a note to, but the owners are still informed if possible.
      await announceChanges(watch, context, announced).catch(() => {})
      throw error
    }
  }
  const addToEnd = (end: JobEnd, notes: readonly string[]): JobEnd => ({
    ...end,
    summary: [end.summary, ...notes].join(' '),
  })
  const start: Jobs['start'] = (kind, about, work) =>
    context.jobs.start(kind, about, (job) => watched(() => work(job), addToEnd))
  const jobs: Jobs = { start, get: (id) => context.jobs.get(id), list: () => context.jobs.list() }
  return watched(() => tool.run(input, { ...context, jobs }), withNotes)
}

async function announceChanges(watch: CommandWatch, context: ToolContext, announced: Set<string>): Promise<string[]> {
  const names = watch.changed()
  return announce({ names, how: 'changed', others: watch.others }, context, announced)
}

/** What others in the teams of this agent reserve right now. */
async function reservedByOthers(context: ToolContext): Promise<string[]> {
  const patterns = new Set<string>()
  for (const membership of await membershipsOf(context))
    for (const { files } of claimsOfOthers(membership)) for (const pattern of files) patterns.add(pattern)
  return [...patterns]
}

async function membershipsOf(context: ToolContext): Promise<readonly TeamMembership[]> {
  const memberships = context.memberships()
  for (const membership of memberships) await membership.refresh()
  return memberships
}

/** Files that a file tool has written, or that changed while a command ran, relative to the root. */
interface Found {
  readonly names: readonly string[]
  readonly how: 'written' | 'changed'
  /** Names of agents whose commands ran at the same time. */
  readonly others?: ReadonlySet<string>
}

/** Names are of real files, so that no link or other spelling hides one. */
async function announce(found: Found, context: ToolContext, announced: Set<string>): Promise<string[]> {
  const notes: string[] = []
  if (found.names.length === 0) return notes
  for (const membership of await membershipsOf(context))
    for (const task of claimsOfOthers(membership)) {
      const names = found.names.filter((name) => firstOverlap([name.normalize('NFC')], task.files))
      if (names.length === 0) continue
      const words = wordsFor(found, task)
      notes.push(words.toWriter(names))
      const keyOf = (name: string) =>
        JSON.stringify([membership.team, task.id, task.attempts, words.isDoubtful, name.toLowerCase()])
      const unannounced = names.filter((name) => !announced.has(keyOf(name)))
      if (unannounced.length === 0) continue
      await membership.send({
        to: task.owner,
        type: 'message',
        content: words.toOwner(unannounced, context.agent, membership.name),
      })
      for (const name of unannounced) announced.add(keyOf(name))
    }
  return notes
}

function wordsFor({ how, others }: Found, { id, subject, owner }: ClaimedTask) {
  const about = `task ${id} (${subject})`
  const isDoubtful = others?.has(nameKey(owner)) ?? false
  const yours = isDoubtful ? ` ${owner} ran a command at the same time, so the change may be its own.` : ''
  const its = isDoubtful ? ' You ran a command at the same time, so the change may be your own.' : ''
  return {
    isDoubtful,
    toWriter(names: readonly string[]): string {
      const was = how === 'changed' ? ` and changed while your command ran` : ''
      const that = how === 'changed' ? '' : ' that you wrote it'
      return `[${shortList(names)} is reserved by ${about}, which ${owner} works on right now${was}; ${owner} is told${that}.${yours} Agree with ${owner} before you change it again.]`
    },
    toOwner(names: readonly string[], agent: string, member: string): string {
      const what = how === 'changed' ? `ran a command that changed` : 'wrote'
      return `[${agent} ${what} ${shortList(names)}, which your ${about} reserves.${its} Read it again before you change it, and agree with ${member} if it must not change.]`
    },
  }
}

const MAX_NAMES_SHOWN = 5

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES_SHOWN).join(', ')
  return names.length > MAX_NAMES_SHOWN ? `${shown} and ${names.length - MAX_NAMES_SHOWN} more files` : shown
}

function claimsOfOthers(membership: TeamMembership): ClaimedTask[] {
  return claims(membership.state).filter(({ owner }) => nameKey(owner) !== nameKey(membership.name))
}
