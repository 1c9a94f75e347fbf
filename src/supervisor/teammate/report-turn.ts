import type { OpenAgent } from '../../agent/agent.ts'
import type { Stop } from '../../agent/agent-event.ts'
import type { Membership } from '../../agent/membership.ts'
import type { SessionContext } from '../../agent/session-context.ts'
import { limitText } from '../../prompts/limit.ts'
import { BUDGET_USED, neverCompletedText, stoppedByLimitText } from '../../prompts/reports.ts'
import type { Author } from '../../team/event.ts'
import type { Member } from '../../team/members/member.ts'
import { planGate } from '../../team/members/plan-gate.ts'
import { heldBy } from '../../team/state.ts'
import { shortenResult } from '../../tools/results/shorten-result.ts'
import { FINISHED, SILENT, STOPPING } from '../turn.ts'
import { type HeldTask, MAX_REMINDERS } from './held-task.ts'
import { park } from './park.ts'
import type { Reports } from './reports.ts'

interface Teammate {
  readonly context: SessionContext
  readonly lead: Membership
  readonly by: Author
  readonly held: HeldTask
  readonly reports: Reports
  readonly member: Member | undefined
}

interface EndedTurn {
  readonly stop: Stop
  /** Why it was interrupted, if it was. */
  readonly reason: unknown
  readonly agent: OpenAgent
}

/**
 * Reports how the turn of a teammate ended, and fails a task that its owner does not complete. Throws what makes the
 * teammate lost; true when it was parked.
 */
export async function reportTurn(
  { context, lead, by, held, reports, member }: Teammate,
  { stop, reason, agent }: EndedTurn,
): Promise<boolean> {
  const { team } = lead
  const { name } = by
  const task = heldBy(team.state, name)
  switch (stop.kind) {
    case 'aborted':
      if (reason === SILENT) {
        await park(context, lead, by, reports)
        return true
      }
      if (reason === FINISHED)
        context.run.emit({ type: 'note', agent: name, text: `${name} was not waited for: its team is finished.` })
      else if (reason !== STOPPING) throw reason
      return false
    case 'error':
      throw stop.error
    case 'budget':
      reports.sendToLead('error', stoppedByLimitText(name, BUDGET_USED))
      return false
    case 'limit': {
      const why = limitText(stop)
      // A limit of the run does not fail the task: it is parked when the run ends.
      if (task && stop.limit !== 'turns') await team.run({ type: 'task.fail', id: task.id, reason: why }, { by })
      else reports.sendToLead('error', stoppedByLimitText(name, why))
      return false
    }
    case 'finished': {
      if (!member || planGate(team.state, member) === 'pending') return false
      if (stop.text.trim() !== '')
        reports.sendResult(shortenResult(stop.text, agent.memory.keep), agent.transcript, held.lastTask)
      if (!task || held.hasAsked || held.remind()) return false
      const why = neverCompletedText(name, MAX_REMINDERS + 1)
      await team.run({ type: 'task.fail', id: task.id, reason: why }, { by })
      return false
    }
  }
}
