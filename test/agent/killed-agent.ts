import { join } from 'node:path'
import type { Model, ModelRequest, ToolCall, Turn } from '../../src/models/model.ts'
import { openSession } from '../../src/session/open-session.ts'
import type { Session } from '../../src/session/session.ts'
import { type Disk, realDisk } from '../../src/stores/files/disk.ts'
import { openFileStore } from '../../src/stores/files/store.ts'
import { openViews } from '../../src/stores/files/views/views.ts'
import type { Workspace } from '../../src/workspace.ts'

/** A conversation that can be killed anywhere: letters, two commands with an effect outside, a job that never ends. */
export const TEAM = 'story'
export const LETTERS = { first: 'please begin', second: 'and mind the step', late: 'one more thing' }
/** The letter that is sent while the first command runs, by whoever is alive then; it is one letter all the same. */
export const LATE = 'late-letter'

/** Every command says who it is, does something that can be counted, and may live on. */
const command = (word: string, then = '') => `echo $$ >> pids; echo ${word} >> counter${then}`
const CALLS: readonly (readonly [tool: string, input: object])[] = [
  ['bash', { command: command('one') }],
  ['bash', { command: command('job', '; exec sleep 600'), run_in_background: true }],
  ['bash', { command: command('two') }],
  ['TaskStop', { task_id: 'b000001' }],
]
export const WORDS = ['one', 'job', 'two']

/**
 * Makes its calls one after the other, whatever becomes of them, and never one again. Once its window is full it is asked
 * for a summary, and from then on knows what it did from that alone.
 */
export const storyteller: Model = {
  name: 'story/teller',
  provider: 'story',
  account: 'story',
  context: 20_000,
  price: undefined,
  async *reply({ turns }: ModelRequest, signal) {
    signal.throwIfAborted()
    const all = JSON.stringify(turns)
    const made = Math.max(0, ...[...all.matchAll(/\bcall-(\d)/g)].map(([, number]) => Number(number)))
    const isAskedForSummary = JSON.stringify(turns.at(-1)).includes('This is not from the user')
    const next = isAskedForSummary ? undefined : CALLS[made]
    yield { type: 'text', delta: 'on' }
    const call = next && {
      type: 'tool-call' as const,
      toolCallId: `call-${made + 1}`,
      toolName: next[0],
      input: next[1],
    }
    const words = isAskedForSummary ? `made call-${made}` : next ? 'on' : 'the end'
    const content = [{ type: 'text' as const, text: words }, ...(call ? [call] : [])]
    const isFull = made === 2 && !all.includes('[Conversation compressed]')
    const usage = { input: isFull ? 12_000 : 10, cacheRead: 0, cacheWrite: 0, output: 1 }
    return { turn: { role: 'assistant', content }, end: 'finished', usage, cost: 0, model: 'story/teller' }
  },
}

export function callsOf(turn: Turn): ToolCall[] {
  return turn.role === 'assistant' ? turn.content.flatMap((part) => (part.type === 'tool-call' ? [part] : [])) : []
}

/** Nothing here cuts the power, so nothing waits for the disk. */
const unsynced: Disk = { ...realDisk, fsyncSync() {}, async fdatasync() {} }

/** The workspace as `openWorkspace` makes it, on a disk of ours. */
export async function openPlace(dir: string, around: (disk: Disk) => Disk = (disk) => disk): Promise<Workspace> {
  const disk = around(unsynced)
  const views = (team: string) => openViews({ dir, team, disk, warn: () => {} })
  const store = await openFileStore({ dir, disk, views, warn: () => {} })
  return {
    root: dir,
    workspace: dir,
    how: 'made by a test',
    teamsFolder: join(dir, '.teams'),
    teamsNeedTrust: true,
    store,
    trust: {
      everything: true,
      state: '',
      trustTeam() {},
      isTeamTrusted: () => true,
      trustFolder() {},
      isFolderTrusted: () => true,
    },
    journalOf: (team) => join(dir, '.teams', team, 'journal.jsonl'),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

export function openStory(workspace: Workspace): Promise<Session> {
  return openSession({
    // Its processes are looked for by their numbers, which mean something else inside.
    sandbox: { mode: 'off' },
    workspace,
    model: storyteller,
    team: TEAM,
    permissions: { mode: 'bypassPermissions' },
    env: { PATH: process.env.PATH },
  })
}

export async function sendLate({ team }: Session): Promise<void> {
  await team.send({ to: 'lead', content: LETTERS.late }, { commandId: LATE })
}
