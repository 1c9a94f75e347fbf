import { dumpState, stateFrom } from '../team/fold/snapshot.ts'
import type { AgentActivity, View } from './view.ts'

/** A view that can be kept and folded on from later, any number of times. */
export interface KeptView {
  /** About how many characters it holds besides texts that it shares. */
  readonly size: number
  restore(): View
}

/** `sharedUntil`: entries up to this time are shared with a view that is kept already. */
export function keepView(view: View, sharedUntil: number): KeptView {
  const { teams, interrupted, watchedSince, agents, questions, mail, notes, ...rest } = view
  const states = [...teams].map(([name, state]) => [name, JSON.stringify(dumpState(state))] as const)
  const activities = [...agents.values()].map(copyActivity)
  const [asked, sent, noted] = [[...questions], copyMail(mail), [...notes]]
  const sizes = [
    ...states.map(([, json]) => json.length),
    ...activities.map(({ conversation }) => sizeOf(conversation, sharedUntil)),
  ]
  return {
    size: sizes.reduce((sum, size) => sum + size, 0),
    restore: () => ({
      ...rest,
      interrupted: new Set(interrupted),
      watchedSince: new Map(watchedSince),
      teams: new Map(states.map(([name, json]) => [name, stateFrom(JSON.parse(json))])),
      agents: new Map(activities.map((activity) => [activity.name, copyActivity(activity)])),
      questions: new Map(asked),
      mail: copyMail(sent),
      notes: [...noted],
    }),
  }
}

/** Entries change while a call runs or an answer streams. */
function copyActivity(activity: AgentActivity): AgentActivity {
  return { ...activity, conversation: activity.conversation.map((entry) => ({ ...entry })) }
}

function copyMail(mail: View['mail']): View['mail'] {
  return mail.map((shown) => ({ ...shown, readBy: [...shown.readBy] }))
}

const ENTRY_SIZE = 200

function sizeOf(conversation: AgentActivity['conversation'], sharedUntil: number): number {
  let size = conversation.length * ENTRY_SIZE
  for (const entry of conversation) {
    if (entry.at <= sharedUntil) continue
    size += entry.kind === 'tool' ? entry.result.length + JSON.stringify(entry.input ?? null).length : entry.text.length
  }
  return size
}
