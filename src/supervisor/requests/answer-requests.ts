import type { Notices } from '../../agent/input/notices.ts'
import type { Membership } from '../../agent/membership.ts'
import type { AskPlan } from '../../agent/questions.ts'
import type { SessionContext } from '../../agent/session-context.ts'
import { type TeamHandle, USER } from '../../journal/team-handle.ts'
import { APPROVED_BY_RULE, NO_PERSON_ANSWERED, NO_PERSON_HERE, openRequestText } from '../../prompts/requests.ts'
import type { EventOf } from '../../team/event.ts'
import { nameKey } from '../../team/name.ts'
import { isRefusal } from '../../team/refusal.ts'
import { openRequests } from '../../team/requests/overdue.ts'
import { askAboutPlan } from './ask-person.ts'

/** Answers the requests of teammates that neither the lead nor a person answers. */
export interface RequestAnswers {
  /** Approves a plan where the settings say so, and denies what only a person could answer where none can be asked. */
  onOpened(membership: Membership, request: EventOf<'request.opened'>): void
  /** A person is being asked about a plan. */
  readonly isAsking: boolean
  /**
   * All agents are idle: reminds the lead once of each open request; the others are denied where no
   * person can be asked, and stay open where one can. False if nothing changed.
   */
  settle(memberships: readonly Membership[], notices: Notices): Promise<boolean>
  close(): void
}

export function createRequestAnswers(context: SessionContext, onAnswer: () => void): RequestAnswers {
  const reminded = new Set<string>()
  const closing = new AbortController()
  let openPlans = 0

  async function answerByRule({ team, by }: Membership, request: EventOf<'request.opened'>): Promise<void> {
    const { id, kind, from, to } = request
    const isAuto = kind === 'plan_approval' && context.supervisor.plans === 'auto'
    if (!isAuto && nameKey(to) !== 'user') return
    // The person at the terminal answers a request for permission.
    if (kind === 'permission' && context.permissionRequests.canAsk) return
    if (kind === 'plan_approval' && !isAuto && context.askPlan) return askPlan(context.askPlan, team, request)
    const feedback = isAuto ? APPROVED_BY_RULE : NO_PERSON_HERE
    const answer = { type: 'request.answer', id, approve: isAuto, feedback } as const
    const given = await team.run(answer, { by: nameKey(to) === 'user' ? USER : by })
    if (isRefusal(given)) return
    if (!isAuto) note(from, `[REQUEST] ${id} (${kind}) of ${from} was denied: no person can be asked here.`)
  }

  /** The run continues until the person has answered. */
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
    context.run.emit({ type: 'note', agent, text })
  }

  return {
    onOpened(membership, request) {
      answerByRule(membership, request).catch((error) => note('lead', String(error)))
    },
    get isAsking() {
      return openPlans > 0
    },
    async settle(memberships, notices) {
      let isAnyOpen = false
      for (const { team, by } of memberships) {
        for (const { id, kind, from, to } of openRequests(team.state)) {
          const key = `${team.name}/${id}`
          if (nameKey(to) === 'lead' && !reminded.has(key)) {
            reminded.add(key)
            isAnyOpen = true
            notices.add({ text: openRequestText(id, kind, from) })
            continue
          }
          // The person at the terminal can answer it later: its teammate waits, and the run ends meanwhile.
          if (context.permissionRequests.canAsk) continue
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
