import { refuse } from '../../team/refusal.ts'
import type { MessageRouting } from '../../tools/message-routing.ts'
import { checkContent } from './check-content.ts'
import { createMessageRouting, type RoutingOptions } from './message-routing.ts'

/**
 * What a team that only works on plans takes from the organisation of its folder: hand-offs are checked and recorded as in a department.
 * It has a lead and developers and no other role, so every member may write to every other one.
 */
export function createPlanRouting(options: RoutingOptions): MessageRouting {
  const { addedTypes, checkAnswer } = createMessageRouting(options)
  return {
    addedTypes,
    ...(checkAnswer && { checkAnswer }),
    route({ type, content }) {
      const handoff = options.organisation.handoffs.get(type)
      const checked = handoff && checkContent(type, handoff, content)
      if (!checked || !('issues' in checked)) return { via: 'message' }
      const fields = Object.keys(handoff.schema.shape)
      return refuse('not_routed', { problem: 'content', type, issues: [...checked.issues], fields })
    },
  }
}
