import type { Hooks, RanHook } from '../../permissions/hooks/hooks.ts'
import type { AgentPermissionsOptions } from '../../permissions/permissions.ts'
import { hookObjectionText } from '../../prompts/notices.ts'
import type { Tool } from '../../tools/tool.ts'
import type { SessionEvent } from '../session-event.ts'

/** The hooks of the user around the tool calls of one agent. */
export interface ToolHooks {
  /** PreToolUse, a step of the permission check. */
  readonly beforeCall: NonNullable<AgentPermissionsOptions['hooks']>
  /** PostToolUse: the tools with their hooks behind them. */
  afterCalls(tools: readonly Tool[]): Tool[]
}

export interface ToolHooksOptions {
  readonly agent: string
  /** The tool call that started the agent. */
  readonly parent?: string
  /** Rejects when another process runs the agent now. */
  fence(): Promise<void>
  emit(event: SessionEvent): void
}

export function createToolHooks(hooks: Hooks, { agent, parent, fence, emit }: ToolHooksOptions): ToolHooks {
  const show = (ran: RanHook) => emit({ type: 'hook', agent, ...(parent !== undefined && { parent }), ...ran })
  return {
    async beforeCall(call, signal) {
      if (!hooks.has('PreToolUse', call.toolName)) return {}
      const tool = { name: call.toolName, input: call.input, id: call.toolCallId }
      return hooks.run('PreToolUse', { agent, tool }, { signal, fence }, show)
    },

    afterCalls: (tools) =>
      tools.map((tool) => {
        if (!hooks.has('PostToolUse', tool.name)) return tool
        return {
          ...tool,
          // A hook may have effects that must not happen twice.
          isRepeatable: () => false,
          async run(input, context) {
            const result = await tool.run(input, context)
            const about = { agent, tool: { name: tool.name, input, id: context.callId }, result: result.text }
            const said = await hooks.run('PostToolUse', about, context, show)
            const objection = said.refusal === undefined ? '' : hookObjectionText(said.refusal)
            const added = [said.context, objection].filter(Boolean)
            return added.length === 0 ? result : { ...result, text: [result.text, ...added].join('\n') }
          },
        }
      }),
  }
}
