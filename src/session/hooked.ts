import type { Tool } from '../ports/tool.ts'
import type { Conversation } from '../runtime/converse/conversation.ts'
import type { Hooks, RanHook } from '../tools/hooks/hooks.ts'
import type { SessionEvent } from './session.ts'

/** What hooks do around the calls of one agent. Who it is comes with the call. */
export interface Hooked {
  tools(tools: readonly Tool[]): Tool[]
  mayDo(mayDo: Conversation['mayDo']): Conversation['mayDo']
}

export interface HookedPlan {
  readonly agent: string
  /** The call by which the agent was sent out. */
  readonly parent?: string
  /** Rejects when another process has taken the agent over. */
  fence(): Promise<void>
  tell(event: SessionEvent): void
}

export function hooked(hooks: Hooks, { agent, parent, fence, tell }: HookedPlan): Hooked {
  const show = (ran: RanHook) => tell({ type: 'hook', agent, ...(parent !== undefined && { parent }), ...ran })
  return {
    /** The policy first: what it denies no hook is asked about, and none can allow. */
    mayDo: (mayDo) => async (wish, call, signal) => {
      const leave = await mayDo(wish, call, signal)
      if (!leave.allowed || !hooks.has('PreToolUse', call.toolName)) return leave
      const tool = { name: call.toolName, input: call.input, id: call.toolCallId }
      const { refusal } = await hooks.run('PreToolUse', { agent, tool }, { signal, fence }, show)
      signal.throwIfAborted()
      return refusal === undefined ? leave : { allowed: false, why: `a hook refused it: ${refusal}`, byHook: true }
    },

    tools: (tools) =>
      tools.map((tool) => {
        if (!hooks.has('PostToolUse', tool.name)) return tool
        return {
          ...tool,
          // Nobody knows what a hook does.
          isRepeatable: () => false,
          async run(input, world) {
            const result = await tool.run(input, world)
            const about = { agent, tool: { name: tool.name, input, id: world.call }, result: result.text }
            const { refusal, context } = await hooks.run('PostToolUse', about, world, show)
            const said = [context, refusal === undefined ? '' : `[a hook objects: ${refusal}]`].filter(Boolean)
            return said.length === 0 ? result : { ...result, text: [result.text, ...said].join('\n') }
          },
        }
      }),
  }
}
