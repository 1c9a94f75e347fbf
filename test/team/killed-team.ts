import type { SessionEvent } from '../../src/agent/session-event.ts'
import type { Model, Turn } from '../../src/models/model.ts'
import { openSession } from '../../src/session/open-session.ts'
import type { Session } from '../../src/session/session.ts'
import { composedModel } from '../../src/testing/harnesses/composed-model.ts'
import type { Workspace } from '../../src/workspace.ts'

/** A team that builds a house and may be killed anywhere: a resumed agent continues from what its conversation says. */
export const TEAM = 'house'
export const PROMPT = 'Build a house.'

const TASKS = [
  { subject: 'dig', description: 'the hole', role: 'mason', files: ['ground'] },
  { subject: 'wall', description: 'four of them', role: 'mason', blockedBy: ['1'], files: ['walls'] },
  { subject: 'saw', description: 'the beams', role: 'carpenter' },
  { subject: 'roof', description: 'on the walls', role: 'carpenter', blockedBy: ['2', '3'], files: ['walls'] },
  { subject: 'paint', description: 'all of it', blockedBy: ['4'] },
]
const TEAMMATES = [
  { name: 'ada', role: 'mason', prompt: 'Build.', require_plan: true },
  { name: 'bob', role: 'carpenter', prompt: 'Build.' },
]

/** When the process may be killed: behind the event that the title describes. */
export const MOMENTS: Readonly<Record<string, (event: SessionEvent) => boolean>> = {
  'the third task is on the board': teamEvent((event) => event.type === 'task.created' && event.id === '3'),
  'the lead is about to spawn a teammate': (event) => event.type === 'tool_started' && event.call.toolName === 'Task',
  'a teammate has joined': teamEvent((event) => event.type === 'member.joined' && event.name === 'ada'),
  'a task is claimed': teamEvent((event) => event.type === 'task.claimed' && event.id === '1'),
  'a task is handed over': teamEvent((event) => event.type === 'task.claimed' && event.id === '2'),
  'a teammate has received its task': (event) => event.type === 'input_received' && event.agent === 'bob',
  'a teammate has answered': (event) => event.type === 'answered' && event.agent === 'ada',
  'a plan is handed in': teamEvent((event) => event.type === 'request.opened'),
  'a plan is approved': teamEvent((event) => event.type === 'request.answered'),
  'a message is sent': teamEvent((event) => event.type === 'message.sent' && event.message.content === 'How high?'),
  'a task is about to be completed': (event) =>
    event.type === 'tool_started' && event.call.toolName === 'TaskUpdate' && event.agent === 'bob',
  'a task is completed': teamEvent((event) => event.type === 'task.completed' && event.id === '2'),
  'the lead has received a result': (event) =>
    event.type === 'input_received' && event.agent === 'lead' && contains(event.turn, 'Done.'),
}

function teamEvent(matches: (event: Extract<SessionEvent, { type: 'team' }>['event']) => boolean) {
  return (event: SessionEvent) => event.type === 'team' && matches(event.event)
}

export function openKilledTeam(workspace: Workspace): Promise<Session> {
  return openSession({
    workspace,
    model: builder(),
    team: TEAM,
    sandbox: { mode: 'off' },
    permissions: { mode: 'bypassPermissions' },
    env: { PATH: process.env.PATH },
  })
}

type Call = readonly [tool: string, input: Record<string, unknown>]

/** Every process asks a new model: all it knows is in the conversation. */
function builder(): Model {
  return composedModel(({ agent, turns }) => {
    if (turns.length > 100) throw new Error(`${agent} does not finish: its conversation has ${turns.length} turns`)
    const next = agent === 'lead' ? nextCallOfLead(turns) : nextCallOfTeammate(agent, turns)
    const text = next ? 'On it.' : agent === 'lead' ? 'I wait.' : 'Done.'
    return { text, calls: next ? [{ tool: next[0], input: next[1], id: `${agent}-${turns.length}` }] : [] }
  }).model
}

/** Creates the tasks, then the teammates. Lists the tasks before it creates one again. */
function nextCallOfLead(turns: readonly Turn[]): Call | undefined {
  const results = turns.flatMap((turn) => (turn.role === 'tool' ? [JSON.stringify(turn.content)] : []))
  const asked = JSON.stringify(turns.at(-1)).matchAll(/type=\\"plan_approval_request\\" request_id=\\"(r\d+)/g)
  const request = [...asked].at(-1)?.[1]
  if (request) return ['SendMessage', { type: 'plan_approval_response', request_id: request, approve: true }]
  const missing = TASKS.find(({ subject }) => !results.some((text) => text.includes(subject)))
  const isSure = results.at(-1)?.includes('TaskList') || results.at(-1)?.includes('created')
  if (missing) return isSure ? ['TaskCreate', missing] : ['TaskList', {}]
  const spawned = results.filter((text) => text.includes('"toolName":"Task"') && !text.includes('Interrupted'))
  const teammate = TEAMMATES[spawned.length]
  return teammate && ['Task', teammate]
}

/** A teammate that needs an approved plan learns that from the refusal of its first completion. */
function nextCallOfTeammate(agent: string, turns: readonly Turn[]): Call | undefined {
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

function contains(turn: Turn, text: string): boolean {
  return JSON.stringify(turn).includes(text)
}
