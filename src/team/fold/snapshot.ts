import { z } from 'zod'
import { putTask } from '../board/board.ts'
import type { Json } from '../data/json.ts'
import { OpenEscalation } from '../mail/escalations.ts'
import { Breaker, CLOSED } from '../members/breaker.ts'
import { Member } from '../members/member.ts'
import { TokenHash } from '../members/member-token.ts'
import { SessionFolder } from '../members/session-folder.ts'
import { Spent } from '../members/usage.ts'
import { Message } from '../message.ts'
import { nameKey } from '../name.ts'
import { PhaseStep, RecordedHandOff, stepKey } from '../phases/phase.ts'
import { LoadedPlan } from '../plans/plan.ts'
import { ReportedResult, resultKey } from '../plans/reported-result.ts'
import { Request } from '../request.ts'
import { type Deviation, emptyState, mailboxOf, type TeamState, unreadOf, withOneShots } from '../state.ts'
import { Task } from '../task.ts'

const Generation = z.object({ text: z.string(), count: z.number() })
const Taken = z.object({ take: z.string(), taker: z.string(), until: z.number() })

/** A state as JSON: what a snapshot holds, and what a repaired journal begins with. */
const Dump = z.object({
  team: z
    .object({ id: z.string(), name: z.string(), description: z.string(), createdAt: z.number(), deleted: z.boolean() })
    .extend({ session: z.string().nullable().default(null) })
    .nullable(),
  supervisor: z.object({ runtime: z.string().nullable(), epoch: z.number(), folder: SessionFolder.optional() }),
  counters: z.object({ task: z.number(), request: z.number(), place: z.number() }),
  members: z.array(Member),
  tokens: z.array(z.tuple([z.string(), TokenHash])).default([]),
  tasks: z.array(Task),
  plans: z.array(LoadedPlan).default([]),
  steps: z.array(PhaseStep).default([]),
  handOffs: z.array(RecordedHandOff).default([]),
  results: z.array(ReportedResult).default([]),
  requests: z.array(Request),
  escalations: z.array(OpenEscalation).default([]),
  mail: z.array(
    z.object({
      name: z.string(),
      unread: z.array(
        z.object({
          message: Message,
          place: z.number(),
          external: z.boolean(),
          taken: Taken.nullable(),
          redelivered: z.boolean(),
        }),
      ),
    }),
  ),
  archives: z.array(z.tuple([z.string(), z.number()])),
  /** Missing in what older versions wrote. */
  spent: z.array(z.tuple([z.string(), Spent])).default([]),
  transcripts: z.array(z.tuple([z.string(), z.string()])).default([]),
  breaker: Breaker.default(CLOSED),
  deviations: z
    .array(z.object({ member: z.string(), task: z.string().nullable(), text: z.string(), at: z.number() }))
    .default([]),
  leads: z.array(z.string()).default([]),
  messages: z.object({ young: Generation, old: Generation }),
})
type Dump = z.infer<typeof Dump>

export function dumpState(state: TeamState): Json {
  const dump: Dump = {
    team: state.team.get() ?? null,
    supervisor: state.supervisor.get(),
    counters: state.counters.get(),
    members: withOneShots(state),
    tokens: [...state.tokens.keys()].map((name) => [name, state.tokens.get(name) ?? '']),
    tasks: [...state.tasks.values()],
    plans: [...state.plans.values()],
    steps: [...state.steps.values()],
    handOffs: [...state.handOffs.values()],
    results: [...state.results.values()],
    requests: [...state.requests.values()],
    escalations: [...state.escalations.values()],
    mail: [...state.mailboxes.keys()].flatMap((name) => {
      const unread = unreadOf(state, name)
      return unread.length === 0 ? [] : [{ name, unread }]
    }),
    archives: [...state.archives.keys()].map((archive) => [archive, state.archives.get(archive) ?? 0]),
    spent: [...state.spent.keys()].flatMap((name) => {
      const spent = state.spent.get(name)
      return spent ? [[name, spent] as [string, Spent]] : []
    }),
    transcripts: [...state.transcripts.keys()].map((name) => [name, state.transcripts.get(name) ?? '']),
    breaker: state.breaker.get(),
    deviations: [...state.deviations.get()],
    leads: [...state.leads.get()],
    messages: state.messages.dump(),
  }
  return dump as Json
}

/** From our own snapshot, whose sum was checked by the store that kept it. */
export function stateFrom(dump: Json): TeamState {
  const state = emptyState()
  fill(state, dump as unknown as Dump)
  return state
}

/** From a journal line that any program may have written. An invalid one leaves the state empty. */
export function loadState(state: TeamState, json: unknown): void {
  const dump = Dump.safeParse(json)
  if (dump.success) fill(state, dump.data)
}

function fill(state: TeamState, dump: Dump): void {
  state.team.set(dump.team ?? undefined)
  state.supervisor.set(dump.supervisor)
  state.counters.set(dump.counters)
  for (const member of dump.members) state.members.set(nameKey(member.name), member)
  for (const [name, hash] of dump.tokens ?? []) state.tokens.set(name, hash)
  for (const task of dump.tasks) putTask(state, task.id, task)
  for (const plan of dump.plans ?? []) state.plans.set(plan.id, plan)
  for (const step of dump.steps ?? []) state.steps.set(stepKey(step), step)
  for (const handOff of dump.handOffs ?? []) state.handOffs.set(handOff.id, handOff)
  for (const result of dump.results ?? []) state.results.set(resultKey(result), result)
  for (const request of dump.requests) state.requests.set(request.id, request)
  for (const escalation of dump.escalations ?? []) state.escalations.set(escalation.id, escalation)
  for (const { name, unread } of dump.mail) {
    const mailbox = mailboxOf(state, name)
    for (const item of unread) mailbox.set(item.message.id, item)
  }
  for (const [archive, offset] of dump.archives) state.archives.set(archive, offset)
  for (const [name, spent] of dump.spent) state.spent.set(name, spent)
  for (const [name, turn] of dump.transcripts) state.transcripts.set(name, turn)
  state.breaker.set(dump.breaker)
  state.deviations.set(dump.deviations as Deviation[])
  state.leads.set(dump.leads)
  state.messages.load(dump.messages)
}
