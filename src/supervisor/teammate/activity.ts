import { requestSent } from '../../agent/input/receive-input.ts'
import { inOrder } from '../../journal/replay/ordered-team.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import type { Author, TeamEvent } from '../../team/event.ts'
import type { Member } from '../../team/members/member.ts'
import { planGate } from '../../team/members/plan-gate.ts'
import { heldBy } from '../../team/state.ts'
import type { HealthTracker } from './health.ts'
import type { Reports } from './reports.ts'

/** Reports to the journal, on change only, that a teammate works, is idle, or waits for the approval of its plan. */
export interface Activity {
  /** Resolves when the request to the model is on its way and the report is written behind it. */
  reportWorking(): Promise<void>
  /** `isKnown`: the lead knows already that it is idle and gets no notice. */
  reportIdle(options: { readonly isKnown: boolean }): Promise<void>
}

export function createActivity({
  team,
  by,
  health,
  reports,
  current,
}: {
  readonly team: TeamHandle
  readonly by: Author
  readonly health: HealthTracker
  readonly reports: Reports
  /** The member, as long as this generation of it may act. */
  current(): Member | undefined
}): Activity {
  const { name } = by
  const generation = by.generation!
  return {
    async reportWorking() {
      await requestSent()
      await inOrder(team, `${name} works`)
      const events: TeamEvent[] = health.change({ name, generation }, 'working')
      // A teammate that continues with its next task is reported as working already.
      if (current()?.status !== 'working')
        events.unshift({ type: 'member.activity', name, generation, status: 'working' })
      if (events.length > 0) reports.report(events)
    },
    async reportIdle({ isKnown }) {
      const member = current()
      if (!member) return
      const status = planGate(team.state, member) === 'pending' ? 'waiting_approval' : 'idle'
      if (member.status === status) return
      const events: TeamEvent[] = [{ type: 'member.activity', name, generation, status }]
      const task = heldBy(team.state, name)
      const content = task ? `waits while it holds task ${task.id}` : 'has nothing to do'
      if (status === 'idle') events.push(...health.change({ name, generation }, 'idle'))
      if (status === 'idle' && !isKnown) events.push(reports.message('idle_notification', content))
      await team.report(events, { by })
    },
  }
}
