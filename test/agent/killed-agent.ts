import { join } from 'node:path'
import type { Model, ToolCall, Turn } from '../../src/models/model.ts'
import { openSession } from '../../src/session/open-session.ts'
import type { Session } from '../../src/session/session.ts'
import { type Disk, realDisk } from '../../src/stores/files/disk.ts'
import { openFileStore } from '../../src/stores/files/store.ts'
import { openViews } from '../../src/stores/files/views/views.ts'
import { type Compose, composedModel } from '../../src/testing/harnesses/composed-model.ts'
import { workspaceOn } from '../../src/testing/harnesses/session-harness.ts'
import type { Workspace } from '../../src/workspace.ts'

/** An agent that may be killed anywhere: it receives messages, runs two commands with effects, and a job that never ends. */
export const TEAM = 'story'
export const MESSAGES = { first: 'please begin', second: 'and mind the step', late: 'one more thing' }
/** The command id of the message that each process sends while the first command runs, so that it counts once. */
export const LATE_COMMAND_ID = 'late-message'

/** Every command writes its process id and one line that can be counted; it may outlive the agent. */
const command = (word: string, then = '') => `echo $$ >> pids; echo ${word} >> counter${then}`
const CALLS: readonly (readonly [tool: string, input: Record<string, unknown>])[] = [
  ['bash', { command: command('one') }],
  ['bash', { command: command('job', '; exec sleep 600'), run_in_background: true }],
  ['bash', { command: command('two') }],
  ['TaskStop', { task_id: 'b000001' }],
]
export const COUNTED_WORDS = ['one', 'job', 'two']

/**
 * Makes its calls in order, whatever their results, and each call once. When its context is full it is asked for a
 * summary, and from then on it knows only from the summary which calls it made.
 */
function callingModel(): Model {
  const compose: Compose = ({ turns }) => {
    const all = JSON.stringify(turns)
    const made = Math.max(0, ...[...all.matchAll(/\bcall-(\d)/g)].map(([, number]) => Number(number)))
    const isAskedForSummary = JSON.stringify(turns.at(-1)).includes('This is not from the user')
    const next = isAskedForSummary ? undefined : CALLS[made]
    const isFull = made === 2 && !all.includes('[Conversation compressed]')
    return {
      text: isAskedForSummary ? `made call-${made}` : next ? 'on' : 'the end',
      calls: next ? [{ tool: next[0], input: next[1], id: `call-${made + 1}` }] : [],
      usage: { input: isFull ? 12_000 : 10, output: 1 },
    }
  }
  return composedModel(compose, { context: 20_000 }).model
}

export function callsOf(turn: Turn): ToolCall[] {
  return turn.role === 'assistant' ? turn.content.flatMap((part) => (part.type === 'tool-call' ? [part] : [])) : []
}

/** No test here cuts the power, so nothing waits for the disk. */
const unsynced: Disk = { ...realDisk, fsyncSync() {}, async fsync() {}, async fdatasync() {} }

/** A workspace as `openWorkspace` opens it, on a disk without fsync that the caller may wrap. */
export async function openUnsyncedWorkspace(
  dir: string,
  wrap: (disk: Disk) => Disk = (disk) => disk,
): Promise<Workspace> {
  const disk = wrap(unsynced)
  const views = (team: string) => openViews({ dir, team, disk, warn: () => {} })
  const store = await openFileStore({ dir, disk, views, warn: () => {} })
  return workspaceOn(store, dir, (team) => join(dir, '.teams', team, 'journal.jsonl'))
}

export function openKilledAgent(workspace: Workspace): Promise<Session> {
  return openSession({
    // The test looks up its processes by id, and ids differ inside a sandbox.
    sandbox: { mode: 'off' },
    workspace,
    model: callingModel(),
    team: TEAM,
    permissions: { mode: 'bypassPermissions' },
    env: { PATH: process.env.PATH },
  })
}

export async function sendLate({ team }: Session): Promise<void> {
  await team.send({ to: 'lead', content: MESSAGES.late }, { commandId: LATE_COMMAND_ID })
}
