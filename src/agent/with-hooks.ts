import type { Hooks, RanHook } from '../permissions/hooks/hooks.ts'
import type { Check } from '../permissions/permission.ts'
import { hookObjectionText, hookRefusedCallText } from '../prompts/notices.ts'
import type { Tool } from '../tools/tool.ts'
import type { SessionEvent } from './session-event.ts'

/** What hooks do around the calls of one agent. Who it is comes with the call. */
export interface ToolHooks {
  tools(tools: readonly Tool[]): Tool[]
  check(mayDo: Check): Check
}

export interface ToolHooksOptions {
  readonly agent: string
  /** The call by which the agent was sent out. */
  readonly parent?: string
  /** Rejects when another process has taken the agent over. */
  fence(): Promise<void>
  emit(event: SessionEvent): void
}

export function createToolHooks(hooks: Hooks, { agent, parent, fence, emit: tell }: ToolHooksOptions): ToolHooks {
  const show = (ran: RanHook) => tell({ type: 'hook', agent, ...(parent !== undefined && { parent }), ...ran })
  return {
    /** The policy first: what it denies no hook is asked about, and none can allow. */
    check: (mayDo) => async (wish, call, signal) => {
      const leave = await mayDo(wish, call, signal)
      if (!leave.allowed || !hooks.has('PreToolUse', call.toolName)) return leave
      const tool = { name: call.toolName, input: call.input, id: call.toolCallId }
      const { refusal } = await hooks.run('PreToolUse', { agent, tool }, { signal, fence }, show)
      signal.throwIfAborted()
      return refusal === undefined ? leave : { allowed: false, why: hookRefusedCallText(refusal), byHook: true }
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
            const about = { agent, tool: { name: tool.name, input, id: world.callId }, result: result.text }
            const { refusal, context } = await hooks.run('PostToolUse', about, world, show)
            const said = [context, refusal === undefined ? '' : hookObjectionText(refusal)].filter(Boolean)
            return said.length === 0 ? result : { ...result, text: [result.text, ...said].join('\n') }
          },
        }
      }),
  }
}
