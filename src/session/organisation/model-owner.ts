import { z } from 'zod'
import type { SessionEvent } from '../../agent/session-event.ts'
import type { Organisation } from '../../organisation/definition/organisation.ts'
import { askedOfUser, type PhaseState, signOffIn } from '../../organisation/phases/phase-state.ts'
import { OWNER_TOOLS, ownerPromptText } from '../../prompts/owner.ts'
import type { HandOff } from '../../team/phases/phase.ts'
import { refuse } from '../../team/refusal.ts'
import { defineTool } from '../../tools/define-tool.ts'
import { namesFor } from '../../tools/registry.ts'
import type { RoleRules } from '../../tools/role-rules.ts'
import type { Tool } from '../../tools/tool.ts'
import type { Session } from '../session.ts'
import type { Owner, OwnerActions } from './owner-actions.ts'

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

/** `owner_signoff` for the leads, `escalation` for the user. */
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
    if (next.value.kind === 'error') await options.tellUser(`The owner stopped: ${next.value.error.message}`)
    return signed.decision === 'SHIP'
  }
}

function ownerTools(
  actions: OwnerActions,
  signed: { decision?: 'SHIP' | 'HOLD' },
  { tellUser, record, organisation: { owner } }: Pick<ModelOwner, 'tellUser' | 'record' | 'organisation'>,
): Tool[] {
  const text = z.string().min(1)
  return [
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
  const done = state.departments.filter(({ status }) => status.status === 'complete').map(({ name }) => name)
  const missing = missingIn(actions, state)
  const last = signOffIn(state)
  return [
    `Complete: ${done.join(', ') || 'no department yet'}.`,
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
