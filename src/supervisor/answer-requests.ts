import type { Membership } from '../agent/membership.ts'
import type { Notices } from '../agent/notices.ts'
import type { AskPlan } from '../agent/questions.ts'
import type { SessionContext } from '../agent/session-context.ts'
import { type TeamHandle, USER } from '../journal/team-handle.ts'
import { APPROVED_BY_RULE, NO_PERSON_ANSWERED, NO_PERSON_HERE, openRequestText } from '../prompts/requests.ts'
import type { EventOf } from '../team/event.ts'
import { nameKey } from '../team/name.ts'
import { whyVoid } from '../team/overdue.ts'
import { isRefusal } from '../team/refusal.ts'
import { askAboutPlan } from './ask-person.ts'

/** Answers requests of teammates that neither the lead nor a person answers. */
export interface RequestAnswers {
  /** Plans that a rule approves; and what only a person could answer, where no person can be asked. */
  onOpened(room: Membership, request: EventOf<'request.opened'>): void
  /** A person thinks about a plan. */
  readonly isAsking: boolean
  /** Nothing else happens: the lead is reminded once of each open request, the others are denied. False if there is none. */
  settle(rooms: readonly Membership[], notices: Notices): Promise<boolean>
  close(): void
}

export function createRequestAnswers(home: SessionContext, onAnswer: () => void): RequestAnswers {
  const reminded = new Set<string>()
  const closing = new AbortController()
  let openPlans = 0

  async function answerByRule({ team, by }: Membership, request: EventOf<'request.opened'>): Promise<void> {
    const { id, kind, from, to } = request
    const isAuto = kind === 'plan_approval' && home.supervisor.plans === 'auto'
    if (!isAuto && nameKey(to) !== 'user') return
    // A request for permission is answered by the person at the terminal.
    if (kind === 'permission' && home.permissionRequests.canAsk) return
    if (kind === 'plan_approval' && !isAuto && home.askPlan) return askPlan(home.askPlan, team, request)
    const feedback = isAuto ? APPROVED_BY_RULE : NO_PERSON_HERE
    const answer = { type: 'request.answer', id, approve: isAuto, feedback } as const
    const given = await team.run(answer, { by: nameKey(to) === 'user' ? USER : by })
    if (isRefusal(given)) return
    if (!isAuto) note(from, `[REQUEST] ${id} (${kind}) of ${from} was denied: no person can be asked here.`)
  }

  /** The run goes on for as long as a person considers a plan. */
  async function askPlan(ask: AskPlan, team: TeamHandle, request: EventOf<'request.opened'>): Promise<void> {
    openPlans++
    try {
      await askAboutPlan({ team, ask }, request, closing.signal)
    } finally {
      openPlans--
      onAnswer()
    }
  }

  function note(agent: string, text: string): void {
    home.run.emit({ type: 'note', agent, text })
  }

  return {
    onOpened(room, request) {
      answerByRule(room, request).catch((error) => note('lead', String(error)))
    },
    get isAsking() {
      return openPlans > 0
    },
    async settle(rooms, notices) {
      let isAnyOpen = false
      for (const { team, by } of rooms) {
        for (const request of [...team.state.requests.values()]) {
          const { id, kind, from, to, state } = request
          if (state !== 'pending' || kind === 'shutdown' || whyVoid(team.state, request)) continue
          const key = `${team.name}/${id}`
          if (nameKey(to) === 'lead' && !reminded.has(key)) {
            reminded.add(key)
            isAnyOpen = true
            notices.add({ text: openRequestText(id, kind, from) })
            continue
          }
          const feedback = NO_PERSON_ANSWERED
          const author = nameKey(to) === 'user' ? USER : by
          const answer = await team.run({ type: 'request.answer', id, approve: false, feedback }, { by: author })
          if (isRefusal(answer)) continue
          isAnyOpen = true
          note(from, `[REQUEST] ${id} (${kind}) of ${from} was denied: no person answered.`)
        }
      }
      return isAnyOpen
    },
    close: () => closing.abort(),
  }
}
