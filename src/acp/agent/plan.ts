import type { Plan, PlanEntry } from '@agentclientprotocol/sdk'
import { boardRows } from '../../view/board-rows.ts'
import type { View } from '../../view/view.ts'

const STATUS = { pending: 'pending', in_progress: 'in_progress', completed: 'completed', failed: 'pending' } as const

/** The boards of all teams as the plan of an editor, which knows no failure and no owner: both stand in the text. */
export function planOf(view: View): Plan {
  const entries = [...view.teams].flatMap(([team, state], i) =>
    boardRows(state).map(({ id, subject, status, owner }): PlanEntry => {
      const name = i === 0 ? `#${id}` : `${team} #${id}`
      const by = owner === null ? '' : ` (${owner})`
      const end = status === 'failed' ? ' (failed)' : ''
      return { content: `${name} ${subject}${by}${end}`, priority: 'medium', status: STATUS[status] }
    }),
  )
  return { entries }
}
