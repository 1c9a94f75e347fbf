import { z } from 'zod'
import type { SessionEvent } from '../../agent/session-event.ts'
import type { Organisation } from '../../organisation/definition/organisation.ts'
import type { Wave } from '../../organisation/departments/resolve-departments.ts'
import { askedOfUser, type PhaseState, signOffIn } from '../../organisation/phases/phase-state.ts'
import { checkContent } from '../../organisation/routing/check-content.ts'
import { OWNER_TOOLS, ownerPromptText } from '../../prompts/owner.ts'
import type { HandOff } from '../../team/phases/phase.ts'
import { refuse } from '../../team/refusal.ts'
import { defineTool } from '../../tools/define-tool.ts'
import { namesFor } from '../../tools/registry.ts'
import type { RoleRules } from '../../tools/role-rules.ts'
import type { Tool } from '../../tools/tool.ts'
import type { Session } from '../session.ts'
import type { Owner, OwnerActions } from './owner-actions.ts'
import { problemOfStop } from './step-problem.ts'

export interface ModelOwner {
  readonly organisation: Organisation
  /** `03-api`. */
  readonly phase: string
  /** Opens the session of the owner, in a team of its own. */
  open(options: {
    readonly tools: readonly Tool[]
    readonly roles: RoleRules
    readonly prompt: string
  }): Promise<Session>
  onEvent(event: SessionEvent): Promise<void>
  /** Its last words, and what it asks: only the owner speaks to the user. */
  tellUser(text: string): Promise<void>
  /** Records what it decided or asked in the journal of its team. */
  record(handOff: OwnerRecord): Promise<void>
}

/** `owner_review` and `owner_signoff` for the leads, `escalation` for the user. */
export type OwnerRecord = Pick<HandOff, 'kind' | 'to' | 'status' | 'content'>

/** The owner as a model: it decides by the same functions as code, and cannot pass a gate that holds. */
export function modelOwner(options: ModelOwner): Owner {
  return async (actions, signal) => {
    const { organisation, phase } = options
    const signed: { decision?: 'SHIP' | 'HOLD' } = {}
    const role = organisation.roles.get(organisation.owner)
    await using session = await options.open({
      tools: ownerTools(actions, signed, options),
      roles: ownerRoles(organisation),
      prompt: role?.prompt ?? '',
    })
    const events = session.run(
      ownerPromptText({
        ...{ phase, conflicts: organisation.conflicts, situation: situation(actions, await actions.look()) },
        waves: actions.waves.map(({ departments }) => departments),
      }),
      signal,
    )
    let next = await events.next()
    for (; !next.done; next = await events.next()) await options.onEvent(next.value)
    if (next.value.text.trim() !== '') await options.tellUser(next.value.text)
    const problem = problemOfStop(next.value)
    if (problem) await options.tellUser(`The owner stopped: ${problem.reason}`)
    if (signed.decision === 'SHIP') return 'passed'
    return problem?.isLimit ? 'limit' : 'held'
  }
}

function ownerTools(
  actions: OwnerActions,
  signed: { decision?: 'SHIP' | 'HOLD' },
  { tellUser, organisation, ...options }: Pick<ModelOwner, 'tellUser' | 'record' | 'organisation'>,
): Tool[] {
  const text = z.string().min(1)
  const { owner } = organisation
  const record = (handOff: OwnerRecord) => {
    checkRecord(organisation, handOff)
    return options.record(handOff)
  }
  return [
    defineTool({
      name: 'review_phase',
      description: OWNER_TOOLS.review_phase,
      input: z.strictObject({ priorities: z.array(text).min(1), dispatch_order: z.array(text).min(1) }),
      action: () => undefined,
      async run({ priorities, dispatch_order }) {
        const problem = orderProblem(actions.waves, dispatch_order)
        if (problem !== undefined) throw new Error(`dispatch_order: ${problem}`)
        await record({ kind: 'owner_review', to: 'lead', status: 'recorded', content: { priorities, dispatch_order } })
        return 'Recorded for the leads.'
      },
    }),
    defineTool({
      name: 'run_departments',
      description: OWNER_TOOLS.run_departments,
      input: z.strictObject({ departments: z.array(text).min(1) }),
      action: () => undefined,
      async run({ departments }, { signal }) {
        const ready = await actions.ready()
        const early = departments.filter((name) => !ready.includes(name))
        if (early.length > 0)
          throw new Error(`${early.join(', ')} cannot run now. Departments that can: ${ready.join(', ') || 'none'}.`)
        return situation(actions, await actions.run([...new Set(departments)], signal))
      },
    }),
    defineTool({
      name: 'check_gates',
      description: OWNER_TOOLS.check_gates,
      input: z.strictObject({}),
      action: () => undefined,
      run: async () => situation(actions, await actions.look()),
    }),
    defineTool({
      name: 'escalate_to_user',
      description: OWNER_TOOLS.escalate_to_user,
      input: z.strictObject({ issue: text, evidence: z.array(text).min(1), recommendation: text }),
      action: () => undefined,
      async run({ issue, evidence, recommendation }) {
        const content = { from: owner, to: 'user', issue, evidence, recommendation, severity: 'blocking' }
        await record({ kind: 'escalation', to: 'user', status: 'open', content })
        await tellUser(`${issue}\nEvidence: ${evidence.join('; ')}\nRecommendation: ${recommendation}`)
        return 'The user was told. End your turn: the answer comes with the next run.'
      },
    }),
    defineTool({
      name: 'sign_off',
      description: OWNER_TOOLS.sign_off,
      input: z.strictObject({ decision: z.enum(['SHIP', 'HOLD']), integration_qa: text.optional() }),
      action: () => undefined,
      async run({ decision, integration_qa = 'not said' }) {
        const state = await actions.look()
        const missing = decision === 'SHIP' ? missingIn(actions, state) : []
        if (missing.length > 0) throw new Error(`The phase is not complete: ${missing.join('; ')}. Sign off with HOLD.`)
        for (const wave of decision === 'SHIP' ? actions.waves : []) await actions.pass(wave)
        const approved = state.departments.filter(({ status }) => status.status === 'complete').map(({ name }) => name)
        const content = { decision, departments_approved: approved, integration_qa }
        await record({ kind: 'owner_signoff', to: 'lead', status: decision, content })
        signed.decision = decision
        return `Signed off: ${decision}.`
      },
    }),
  ]
}

/** Fields are those that the organisation gives the hand-off, as for every other sender. */
function checkRecord({ handoffs }: Organisation, { kind, content }: OwnerRecord): void {
  const handoff = handoffs.get(kind)
  const checked = handoff && checkContent(kind, handoff, JSON.stringify(content))
  if (checked && 'issues' in checked)
    throw new Error(`The organisation refuses this ${kind}: ${checked.issues.join('; ')}`)
}

/** An owner sets the order inside of a wave; waves and gates come from the organisation. */
function orderProblem(waves: readonly Wave[], order: readonly string[]): string | undefined {
  const all = waves.flatMap(({ departments }) => departments)
  const unknown = order.filter((name) => !all.includes(name))
  const missing = all.filter((name) => !order.includes(name))
  if (unknown.length > 0 || missing.length > 0 || order.length !== all.length)
    return `name each of these once: ${all.join(', ')}.`
  const waveOf = (name: string) => waves.findIndex(({ departments }) => departments.includes(name))
  const early = order.find((name, i) => order.slice(0, i).some((before) => waveOf(before) > waveOf(name)))
  return early === undefined ? undefined : `${early} is of an earlier wave than a department before it.`
}

function missingIn(actions: OwnerActions, state: PhaseState): string[] {
  const open = state.departments.filter(({ status }) => status.status !== 'complete')
  const gates = actions.waves.flatMap((wave) => actions.gatesOf(wave, state)).filter(({ isPassed }) => !isPassed)
  return [
    ...open.map(
      ({ name, status }) => `department ${name} is ${status.status}${status.error ? `: ${status.error}` : ''}`,
    ),
    ...gates.map(({ gate, missing }) => `gate ${gate}: ${missing.join('; ')}`),
  ]
}

function situation(actions: OwnerActions, state: PhaseState): string {
  const review = state.handOffs.findLast(({ kind }) => kind === 'owner_review')
  const done = state.departments.filter(({ status }) => status.status === 'complete').map(({ name }) => name)
  const missing = missingIn(actions, state)
  const last = signOffIn(state)
  return [
    `Complete: ${done.join(', ') || 'no department yet'}.`,
    ...(review ? [`Your review: ${JSON.stringify(review.content)}`] : []),
    ...(last ? [`Your last sign-off: ${last.decision}.`] : []),
    ...askedOfUser(state).map(({ issue }) => `You asked the user: ${issue}`),
    ...missing.map((one) => `- ${one}`),
    ...(missing.length === 0 ? ['Nothing is missing.'] : []),
  ].join('\n')
}

/** The owner is in no team: no agent joins its own, and it has only the tools that its file names. */
function ownerRoles({ roles, owner }: Organisation): RoleRules {
  const { tools, model } = roles.get(owner) ?? {}
  return {
    lead: { tools: tools ?? namesFor('code'), model },
    oneShots: [],
    typeOf: () => undefined,
    whyNotMember: (role) => refuse('not_allowed', { problem: 'role_elsewhere', role, department: owner, roles: [] }),
  }
}
