import type { SessionEvent } from '../../src/agent/session-event.ts'
import type { Model, ModelRequest, Turn } from '../../src/models/model.ts'
import { openSession } from '../../src/session/open-session.ts'
import type { Session } from '../../src/session/session.ts'
import type { Workspace } from '../../src/workspace.ts'

/** A team that builds a house and can be killed anywhere: whoever comes back goes on from what its conversation says. */
export const TEAM = 'house'
export const PROMPT = 'Build a house.'

const TASKS = [
  { subject: 'dig', description: 'the hole', role: 'mason', files: ['ground'] },
  { subject: 'wall', description: 'four of them', role: 'mason', blockedBy: ['1'], files: ['walls'] },
  { subject: 'saw', description: 'the beams', role: 'carpenter' },
  { subject: 'roof', description: 'on the walls', role: 'carpenter', blockedBy: ['2', '3'], files: ['walls'] },
  { subject: 'paint', description: 'all of it', blockedBy: ['4'] },
]
const MATES = [
  { name: 'ada', role: 'mason', prompt: 'Build.', require_plan: true },
  { name: 'bob', role: 'carpenter', prompt: 'Build.' },
]

/** Where it may be killed, in the words of what has just happened. */
export const MOMENTS: Readonly<Record<string, (event: SessionEvent) => boolean>> = {
  'the third task is on the board': team((event) => event.type === 'task.created' && event.id === '3'),
  'the lead is about to make a teammate': (event) => event.type === 'tool_started' && event.call.toolName === 'Task',
  'a teammate has joined': team((event) => event.type === 'member.joined' && event.name === 'ada'),
  'a task is claimed': team((event) => event.type === 'task.claimed' && event.id === '1'),
  'a teammate has heard of its task': (event) => event.type === 'input_received' && event.agent === 'bob',
  'a teammate has thought': (event) => event.type === 'answered' && event.agent === 'ada',
  'a plan is handed in': team((event) => event.type === 'request.opened'),
  'a plan is approved': team((event) => event.type === 'request.answered'),
  'a letter is on its way': team((event) => event.type === 'message.sent' && event.message.content === 'How high?'),
  'a task is about to be completed': (event) =>
    event.type === 'tool_started' && event.call.toolName === 'TaskUpdate' && event.agent === 'bob',
  'a task is completed': team((event) => event.type === 'task.completed' && event.id === '2'),
  'the lead has heard a result': (event) =>
    event.type === 'input_received' && event.agent === 'lead' && said(event.turn, 'Done.'),
}

function team(isIt: (event: Extract<SessionEvent, { type: 'team' }>['event']) => boolean) {
  return (event: SessionEvent) => event.type === 'team' && isIt(event.event)
}

export function openHouse(workspace: Workspace): Promise<Session> {
  return openSession({
    workspace,
    model: builder,
    team: TEAM,
    sandbox: { mode: 'off' },
    permissions: { mode: 'bypassPermissions' },
    env: { PATH: process.env.PATH },
  })
}

type Call = readonly [tool: string, input: object]

const builder: Model = {
  name: 'house/builder',
  provider: 'house',
  account: 'house',
  context: undefined,
  price: undefined,
  async *reply(request: ModelRequest, signal) {
    signal.throwIfAborted()
    const { agent, turns } = request
    if (turns.length > 100) throw new Error(`${agent} goes round in circles`)
    const next = agent === 'lead' ? leadsNext(turns) : matesNext(agent, turns)
    yield { type: 'text', delta: '' }
    const call = next && {
      type: 'tool-call' as const,
      toolCallId: `${agent}-${turns.length}`,
      toolName: next[0],
      input: next[1],
    }
    const text = next ? 'On it.' : agent === 'lead' ? 'I wait.' : 'Done.'
    const content = [{ type: 'text' as const, text }, ...(call ? [call] : [])]
    const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 1 }
    return { turn: { role: 'assistant', content }, end: 'finished', usage, cost: 0, model: 'house/builder' }
  },
}

/** First the board, then the people; it looks before it does anything a second time. */
function leadsNext(turns: readonly Turn[]): Call | undefined {
  const results = turns.flatMap((turn) => (turn.role === 'tool' ? [JSON.stringify(turn.content)] : []))
  const asked = JSON.stringify(turns.at(-1)).matchAll(/type=\\"plan_approval_request\\" request_id=\\"(r\d+)/g)
  const request = [...asked].at(-1)?.[1]
  if (request) return ['SendMessage', { type: 'plan_approval_response', request_id: request, approve: true }]
  const missing = TASKS.find(({ subject }) => !results.some((text) => text.includes(subject)))
  const isSure = results.at(-1)?.includes('TaskList') || results.at(-1)?.includes('created')
  if (missing) return isSure ? ['TaskCreate', missing] : ['TaskList', {}]
  const made = results.filter((text) => text.includes('"toolName":"Task"') && !text.includes('Interrupted'))
  const mate = MATES[made.length]
  return mate && ['Task', mate]
}

/** Whoever needs an approved plan finds out by being told no. */
function matesNext(agent: string, turns: readonly Turn[]): Call | undefined {
  const last = JSON.stringify(turns.at(-1))
  const all = JSON.stringify(turns)
  const held = [...all.matchAll(/(?:<task id=\\"|still hold task )(\d+)/g)].at(-1)?.[1]
  if (last.includes('How high?')) return ['SendMessage', { to: 'ada', content: 'Two storeys.' }]
  if (last.includes('Blocked: plan status is re'))
    return ['SendMessage', { type: 'plan_approval_request', content: `task ${held}` }]
  const isFree = ['<task id=', 'still hold task', 'type=\\"plan_approval_response', 'Sent message to bob']
  if (!held || !isFree.some((words) => last.includes(words))) return undefined
  if (agent === 'ada' && held === '2' && !all.includes('"How high?"'))
    return ['SendMessage', { to: 'bob', content: 'How high?' }]
  return ['TaskUpdate', { taskId: held, status: 'completed', result: `${held} stands` }]
}

function said(turn: Turn, text: string): boolean {
  return JSON.stringify(turn).includes(text)
}
