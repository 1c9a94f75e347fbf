import { ModelFailure, type ModelRequest } from '../../src/models/model.ts'
import { isPresent, type Member } from '../../src/team/members/member.ts'
import { isOpen, planGate } from '../../src/team/members/plan-gate.ts'
import { shutdownOf } from '../../src/team/members/shutdown-request.ts'
import { heldBy, memberNamed, roster, type TeamState } from '../../src/team/state.ts'
import type { ComposedAnswer } from '../../src/testing/harnesses/composed-model.ts'
import type { Random } from '../storms/random.ts'

/** What the agents of one simulation share: its random numbers, and how many faults may still happen. */
export interface SimulationState {
  readonly random: Random
  /** From then on every agent does its work. */
  isFaultFree: boolean
  /** How often each may still happen; without a limit a simulation might never end. */
  readonly left: {
    messages: number
    refusals: number
    failures: number
    stops: number
    spawns: number
    reopens: number
  }
  readonly teammates: readonly TeammateOptions[]
  messages: number
}

/** A teammate that the lead spawns. */
export interface TeammateOptions {
  readonly name: string
  readonly role: string
  readonly require_plan: boolean
}

/** The answer for the agent of the request; may fail, as providers do. */
export function answerFor(simulation: SimulationState, state: TeamState, request: ModelRequest): ComposedAnswer {
  const { random } = simulation
  if (happens(simulation, 0.04, 'failures'))
    throw new ModelFailure({ model: 'sim/one', fault: 'overloaded' }, 'too busy')
  if (request.agent.includes('/')) return text(`did it alone (${random.below(100)})`)
  if (request.agent === 'lead') return answerOfLead(simulation, state, request)
  const member = memberNamed(state, request.agent)
  return member ? answerOfTeammate(simulation, state, member) : text('Where am I?')
}

function answerOfLead(simulation: SimulationState, state: TeamState, { turns }: ModelRequest): ComposedAnswer {
  const { random } = simulation
  const calls: Call[] = []
  for (const { name, role, require_plan } of simulation.teammates)
    if (!memberNamed(state, name)) calls.push(['Task', { name, role, require_plan, prompt: `Work as ${role}.` }])
  for (const { id, kind, to, state: answer } of state.requests.values())
    if (kind === 'plan_approval' && to === 'lead' && answer === 'pending') {
      const approve = !happens(simulation, 0.3, 'refusals')
      calls.push(['SendMessage', { type: 'plan_approval_response', request_id: id, approve, feedback: 'so be it' }])
    }
  for (const { id, status } of state.tasks.values())
    if (status === 'failed' && happens(simulation, 0.5, 'reopens'))
      calls.push(['TaskUpdate', { taskId: id, status: 'pending' }])
  const teammates = roster(state).filter(({ name }) => name !== 'lead')
  const present = teammates.filter(isPresent)
  if (present.length > 0 && happens(simulation, 0.1, 'stops'))
    calls.push(['SendMessage', { type: 'shutdown_request', to: random.pick(present).name, reason: 'enough' }])
  const gone = teammates.filter(({ status, name }) => status === 'stopped' && !name.endsWith('-errand'))
  if (gone.length > 0 && happens(simulation, 0.5, 'spawns')) {
    const { name, role } = random.pick(gone)
    calls.push(['Task', { name, role, prompt: 'Come back.' }])
  }
  if (present.length > 0 && happens(simulation, 0.1, 'messages'))
    calls.push(['SendMessage', { type: 'broadcast', content: nextMessage(simulation) }])
  if (turns.at(-1)?.role === 'tool' && simulation.isFaultFree && calls.every(([tool]) => tool === 'Task'))
    return text('I see.')
  return callsWith(calls, 'I see.')
}

function answerOfTeammate(simulation: SimulationState, state: TeamState, member: Member): ComposedAnswer {
  const { random } = simulation
  if (shutdownOf(state, member)) {
    const approve = !happens(simulation, 0.4, 'refusals')
    const answer = approve ? { approve, status: 'in_progress', pending_work: ['a little'] } : { approve, reason: 'no' }
    return callsWith([['SendMessage', { type: 'shutdown_response', to: 'lead', ...answer }]], 'Hm.')
  }
  const task = heldBy(state, member.name)
  if (!task)
    return happens(simulation, 0.2, 'messages')
      ? callsWith([messageToMember(simulation, state, member)], 'Hello.')
      : text('Ready.')
  const gate = planGate(state, member)
  const taskId = task.id
  const complete: Call = ['TaskUpdate', { taskId, status: 'completed', result: `did ${taskId}` }]
  if (!isOpen(gate)) {
    if (gate === 'pending') return text('I wait.')
    const plan: Call = ['SendMessage', { type: 'plan_approval_request', content: `how I do ${taskId}` }]
    // Completing a task without an approved plan is refused.
    return callsWith(random.below(4) === 0 ? [complete, plan] : [plan], 'I have a plan.')
  }
  if (happens(simulation, 0.1, 'refusals'))
    return callsWith([['TaskUpdate', { taskId, status: 'failed', reason: 'too hard' }]], '')
  if (happens(simulation, 0.1, 'refusals'))
    return callsWith([['TaskUpdate', { taskId, status: 'pending', reason: 'later' }]], '')
  if (happens(simulation, 0.2, 'messages'))
    return callsWith([messageToMember(simulation, state, member)], 'I ask first.')
  if (happens(simulation, 0.1, 'refusals')) return text('I rest a little.')
  if (!simulation.isFaultFree && random.below(5) === 0) return callsWith([['TaskList', {}]], 'I look.')
  return callsWith([complete], 'Done.')
}

function messageToMember(simulation: SimulationState, state: TeamState, { name }: Member): Call {
  const others = roster(state).filter((other) => other.name !== name)
  const to = simulation.random.pick(others).name
  const urgent = simulation.random.below(5) === 0
  return ['SendMessage', { to, content: nextMessage(simulation), ...(urgent && { urgent }) }]
}

/** Every message has its own number. */
export function nextMessage(simulation: Pick<SimulationState, 'messages'>): string {
  simulation.messages++
  return `[message ${simulation.messages}]`
}

type Call = readonly [tool: string, input: Record<string, unknown>]

/** True at random while such faults are left; never once the simulation is free of faults. */
function happens(simulation: SimulationState, probability: number, fault: keyof SimulationState['left']): boolean {
  if (simulation.isFaultFree || simulation.left[fault] === 0 || simulation.random.next() >= probability) return false
  simulation.left[fault]--
  return true
}

function text(text: string): ComposedAnswer {
  return { text, calls: [] }
}

function callsWith(calls: readonly Call[], text: string): ComposedAnswer {
  return { text, calls: calls.map(([tool, input]) => ({ tool, input })) }
}
