import type { ToolWorld } from '../ports/tool.ts'
import type { Conversation } from '../runtime/converse/conversation.ts'

/** What agents may do, by rules and by whoever can be asked. */
export interface Permits extends Pick<Conversation, 'mayDo'>, Pick<ToolWorld, 'forbids'> {}

/** Nobody said what is allowed and nobody can be asked. */
export const ONLY_LOOKING: Permits = {
  mayDo: async ({ kind, tool }) =>
    kind === 'read' ? { allowed: true } : { allowed: false, why: `nobody allowed ${tool} in this session.` },
  forbids: () => false,
}
