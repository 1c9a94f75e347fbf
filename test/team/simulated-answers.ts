import { ModelFailure, type ModelRequest } from '../../src/models/model.ts'
import { isPresent, type Member } from '../../src/team/member.ts'
import { shutdownOf } from '../../src/team/next-step.ts'
import { isOpen, planGate } from '../../src/team/plan-gate.ts'
import { heldBy, memberNamed, roster, type TeamState } from '../../src/team/state.ts'
import type { ComposedAnswer } from '../../src/testing/harnesses/composed-model.ts'
import type { Random } from '../storms/random.ts'

/** What the agents of one simulation have in common: chance, and how much trouble is left to be made. */
export interface Mood {
  readonly random: Random
  /** Once it is calm everybody does their work. */
  isCalm: boolean
  /** Whatever could go on for ever is counted down. */
  readonly left: { letters: number; refusals: number; failures: number; stops: number; spawns: number; reopens: number }
  readonly wishes: readonly Wish[]
  letters: number
}

/** A teammate as the lead will make it. */
export interface Wish {
  readonly name: string
  readonly role: string
  readonly require_plan: boolean
}

/** Thinks for whoever is asked; it may fail, as providers do. */
export function think(mood: Mood, state: TeamState, request: ModelRequest): ComposedAnswer {
  const { random } = mood
  if (chance(mood, 0.04, 'failures')) throw new ModelFailure({ model: 'sim/one', fault: 'overloaded' }, 'too busy')
  if (request.agent.includes('/')) return says(`did it alone (${random.below(100)})`)
  if (request.agent === 'lead') return leadThinks(mood, state, request)
  const member = memberNamed(state, request.agent)
  return member ? teammateThinks(mood, state, member) : says('Where am I?')
}

function leadThinks(mood: Mood, state: TeamState, { turns }: ModelRequest): ComposedAnswer {
  const { random } = mood
  const calls: Call[] = []
  for (const { name, role, require_plan } of mood.wishes)
    if (!memberNamed(state, name)) calls.push(['Task', { name, role, require_plan, prompt: `Work as ${role}.` }])
  for (const { id, kind, to, state: answer } of state.requests.values())
    if (kind === 'plan_approval' && to === 'lead' && answer === 'pending') {
      const approve = !chance(mood, 0.3, 'refusals')
      calls.push(['SendMessage', { type: 'plan_approval_response', request_id: id, approve, feedback: 'so be it' }])
    }
  for (const { id, status } of state.tasks.values())
    if (status === 'failed' && chance(mood, 0.5, 'reopens'))
      calls.push(['TaskUpdate', { taskId: id, status: 'pending' }])
  const mates = roster(state).filter(({ name }) => name !== 'lead')
  const present = mates.filter(isPresent)
  if (present.length > 0 && chance(mood, 0.1, 'stops'))
    calls.push(['SendMessage', { type: 'shutdown_request', to: random.pick(present).name, reason: 'enough' }])
  const gone = mates.filter(({ status, name }) => status === 'stopped' && !name.endsWith('-errand'))
  if (gone.length > 0 && chance(mood, 0.5, 'spawns')) {
    const { name, role } = random.pick(gone)
    calls.push(['Task', { name, role, prompt: 'Come back.' }])
  }
  if (present.length > 0 && chance(mood, 0.1, 'letters'))
    calls.push(['SendMessage', { type: 'broadcast', content: letter(mood) }])
  if (turns.at(-1)?.role === 'tool' && mood.isCalm && calls.every(([tool]) => tool === 'Task')) return says('I see.')
  return does(calls, 'I see.')
}

function teammateThinks(mood: Mood, state: TeamState, member: Member): ComposedAnswer {
  const { random } = mood
  if (shutdownOf(state, member)) {
    const approve = !chance(mood, 0.4, 'refusals')
    const answer = approve ? { approve, status: 'in_progress', pending_work: ['a little'] } : { approve, reason: 'no' }
    return does([['SendMessage', { type: 'shutdown_response', to: 'lead', ...answer }]], 'Hm.')
  }
  const task = heldBy(state, member.name)
  if (!task) return chance(mood, 0.2, 'letters') ? does([colleague(mood, state, member)], 'Hello.') : says('Ready.')
  const gate = planGate(state, member)
  const taskId = task.id
  const complete: Call = ['TaskUpdate', { taskId, status: 'completed', result: `did ${taskId}` }]
  if (!isOpen(gate)) {
    if (gate === 'pending') return says('I wait.')
    const plan: Call = ['SendMessage', { type: 'plan_approval_request', content: `how I do ${taskId}` }]
    // Who tries without an approved plan is told no.
    return does(random.below(4) === 0 ? [complete, plan] : [plan], 'I have a plan.')
  }
  if (chance(mood, 0.1, 'refusals')) return does([['TaskUpdate', { taskId, status: 'failed', reason: 'too hard' }]], '')
  if (chance(mood, 0.1, 'refusals')) return does([['TaskUpdate', { taskId, status: 'pending', reason: 'later' }]], '')
  if (chance(mood, 0.2, 'letters')) return does([colleague(mood, state, member)], 'I ask first.')
  if (chance(mood, 0.1, 'refusals')) return says('I rest a little.')
  if (!mood.isCalm && random.below(5) === 0) return does([['TaskList', {}]], 'I look.')
  return does([complete], 'Done.')
}

function colleague(mood: Mood, state: TeamState, { name }: Member): Call {
  const others = roster(state).filter((other) => other.name !== name)
  const to = mood.random.pick(others).name
  const urgent = mood.random.below(5) === 0
  return ['SendMessage', { to, content: letter(mood), ...(urgent && { urgent }) }]
}

/** Each letter is known again by its number. */
export function letter(mood: Pick<Mood, 'letters'>): string {
  mood.letters++
  return `[letter ${mood.letters}]`
}

type Call = readonly [tool: string, input: Record<string, unknown>]

/** Only while there is trouble left, and never once it is calm. */
function chance(mood: Mood, likely: number, what: keyof Mood['left']): boolean {
  if (mood.isCalm || mood.left[what] === 0 || mood.random.next() >= likely) return false
  mood.left[what]--
  return true
}

function says(text: string): ComposedAnswer {
  return { text, calls: [] }
}

function does(calls: readonly Call[], text: string): ComposedAnswer {
  return { text, calls: calls.map(([tool, input]) => ({ tool, input })) }
}
