import type { Membership } from '../agent/membership.ts'
import type { SessionContext } from '../agent/session-context.ts'
import { createIds } from '../journal/ids.ts'
import { escalatedText, escalationForUserText, unansweredText } from '../prompts/escalations.ts'
import type { OpenEscalation } from '../team/mail/escalations.ts'
import type { Message } from '../team/message.ts'
import { isRefusal } from '../team/refusal.ts'
import { refusalText } from '../team/refusal-text.ts'

/** Passes escalations on that are not answered in time. Costs nothing while none is open: one alarm for the next of them. */
export interface Escalations {
  /** No agent works, so no answer comes: passes all of them on at once. False if there was none. */
  passOnAll(): Promise<boolean>
  close(): void
}

const newId = createIds()

export function watchEscalations(
  context: Pick<SessionContext, 'routing' | 'clock' | 'run'>,
  { team, by }: Membership,
): Escalations {
  const { clock, run, routing } = context
  const rules = routing?.escalation
  if (!rules) return { passOnAll: async () => false, close() {} }
  const { timeoutSeconds } = rules
  const passing = new Set<string>()
  let cancel = () => {}
  const open = () => [...team.state.escalations.values()].filter(({ id }) => !passing.has(id))

  function schedule(): void {
    cancel()
    const [first] = open()
    cancel = first ? clock.in(Math.max(0, first.at + timeoutSeconds - clock.now()), ring) : () => {}
  }

  function ring(): void {
    const due = open().filter(({ at }) => at + timeoutSeconds <= clock.now())
    void passOn(due, timeoutSeconds).catch((error) => run.emit({ type: 'problem', agent: 'lead', text: String(error) }))
  }

  /** `waited` is undefined where no agent works, so that waiting longer brings no answer. */
  async function passOn(escalations: readonly OpenEscalation[], waited?: number): Promise<void> {
    for (const { id } of escalations) passing.add(id)
    for (const escalation of await team.loadLongTexts([...escalations]))
      await passOnOne(escalation, unansweredText(escalation.to, waited))
    schedule()
  }

  async function passOnOne(escalation: OpenEscalation, why: string): Promise<void> {
    const { id, from } = escalation
    const next = rules!.next(escalation, team.state, why)
    const closing = { id: newId(), timestamp: clock.now(), escalates: id }
    let message: Message
    let level: string
    if (next && 'to' in next) {
      level = next.to
      message = { ...closing, type: 'escalation', from, to: next.to, content: next.content }
    } else {
      level = next?.handOff.to ?? 'the user'
      if (next) await record(next.handOff)
      const issue = next?.issue ?? escalation.content
      run.emit({ type: 'problem', agent: from, text: escalationForUserText(from, level, issue) })
      message = { ...closing, type: 'error', from: 'lead', to: from, content: escalatedText(why, level) }
    }
    await team.report([{ type: 'message.sent', message }], { by })
    run.emit({ type: 'note', agent: from, text: `[ESCALATION] ${from}: ${escalatedText(why, level)}` })
  }

  async function record(handOff: Parameters<NonNullable<NonNullable<typeof routing>['record']>>[0]): Promise<void> {
    const answer = await (routing?.record?.(handOff) ?? team.run({ type: 'handoff.record', handOff }, { by }))
    if (isRefusal(answer)) throw new Error(refusalText(answer))
  }

  const stopWatching = team.watch(({ events }) => {
    if (events.some(({ type }) => type === 'message.sent')) schedule()
  })
  schedule()
  return {
    async passOnAll() {
      const waiting = open()
      if (waiting.length > 0) await passOn(waiting)
      return waiting.length > 0
    },
    close() {
      stopWatching()
      cancel()
    },
  }
}
