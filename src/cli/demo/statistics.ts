import type { SessionEvent } from '../../agent/session-event.ts'
import type { Member } from '../../team/members/member.ts'
import type { TeamState } from '../../team/state.ts'
import { testsIn } from './conversation.ts'

/** What a run of the demo came to, counted from what happened and from the journal it left. */
export interface Statistics {
  readonly tasks: { readonly total: number; readonly completed: number }
  /** How many of the app's tests passed at first and at last, and failed at last. */
  readonly tests: { readonly before: number; readonly after: number; readonly failed: number }
  readonly plans: { readonly approved: number; readonly rejected: number }
  /** Messages between teammates, without the lead. */
  readonly direct: readonly { readonly from: string; readonly to: string }[]
  readonly lost: readonly string[]
  readonly back: readonly string[]
  readonly stopped: readonly string[]
  readonly breaker: string
}

export function createStatistics() {
  const runs: { pass: number; fail: number }[] = []
  const direct: { from: string; to: string }[] = []
  const lost: string[] = []
  let team: string | undefined

  return {
    /** The team the lead has made, once it has. */
    get team() {
      return team
    },
    add(event: SessionEvent): void {
      if (event.type === 'tool_finished') {
        const tests = testsIn(event.result.text)
        if (tests) runs.push(tests)
        return
      }
      if (event.type !== 'team') return
      if (event.event.type === 'team.led') team ??= event.event.team
      if (event.event.type === 'member.lost') lost.push(event.event.name)
      if (event.event.type === 'message.sent') {
        const { type, from, to } = event.event.message
        if (type === 'message' && ![from, to].some((name) => name === 'lead' || name === 'user'))
          direct.push({ from, to })
      }
    },
    count(state: TeamState, members: readonly Member[]): Statistics {
      const tasks = [...state.tasks.values()]
      const plans = [...state.requests.values()].filter(({ kind }) => kind === 'plan_approval')
      const agents = members.filter(({ name, kind }) => kind === 'agent' && name !== 'lead')
      const [first, last] = [runs[0], runs.at(-1)]
      return {
        tasks: { total: tasks.length, completed: tasks.filter(({ status }) => status === 'completed').length },
        tests: { before: first?.pass ?? 0, after: last?.pass ?? 0, failed: last?.fail ?? 0 },
        plans: {
          approved: plans.filter(({ state }) => state === 'approved').length,
          rejected: plans.filter(({ state }) => state === 'rejected').length,
        },
        direct,
        lost,
        back: lost.filter((name) => agents.some((member) => member.name === name && member.generation > 1)),
        stopped: agents.filter(({ status }) => status === 'stopped').map(({ name }) => name),
        breaker: state.breaker.get().state,
      }
    },
  }
}
