import { DEV_ROLE } from '../../plan/plan-draft.ts'
import { refuse } from '../../team/refusal.ts'
import type { MessageRouting } from '../../tools/message-routing.ts'
import { checkContent } from './check-content.ts'
import { createMessageRouting, type RoutingOptions } from './message-routing.ts'

/**
 * The routing of a team that only works on plans, in a folder with an organisation: that of the department. The team has a lead and
 * developers, so its lead gets what developers send to roles that are not there. Where the department has no developers, its rules say
 * nothing about this team: then only the content of hand-offs is checked.
 */
export function createPlanRouting(options: RoutingOptions): MessageRouting {
  const { organisation, department } = options
  const routing = createMessageRouting({ ...options, isPartial: true })
  if (organisation.departments.get(department)?.roles.includes(DEV_ROLE)) return routing
  const { addedTypes, checkAnswer } = routing
  return {
    addedTypes,
    ...(checkAnswer && { checkAnswer }),
    route({ type, content }) {
      const handoff = organisation.handoffs.get(type)
      const checked = handoff && checkContent(type, handoff, content)
      if (!checked || !('issues' in checked)) return { via: 'message' }
      const fields = Object.keys(handoff.schema.shape)
      return refuse('not_routed', { problem: 'content', type, issues: [...checked.issues], fields })
    },
  }
}
