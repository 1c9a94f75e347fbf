import type { ToolWorld, Wish } from '../ports/tool.ts'
import type { Conversation } from '../runtime/converse/conversation.ts'
import { forbids, isOffered, judge, type Mode, type Policy } from '../tools/policy.ts'
import { parseRule } from '../tools/rule.ts'

/** What agents may do: the mode speaks where no rule does, and what is denied is denied whatever allows it. */
export interface Permissions {
  readonly mode?: Mode
  /** Rules such as `bash(git *)`, `edit_file(src/**)` or the name of a tool. */
  readonly allow?: readonly string[]
  readonly ask?: readonly string[]
  readonly deny?: readonly string[]
}

export interface Permits extends Pick<Conversation, 'mayDo'>, Pick<ToolWorld, 'forbids'> {
  /** Is the agent to know of this tool at all? */
  isOffered(tool: string): boolean
}

/** The permissions of a run in which nobody can be asked: what would be asked is denied. */
export function createPermits(permissions: Permissions, root: string, isReadOnly = false): Permits {
  const { mode = 'default', allow = [], ask = [], deny = [] } = permissions
  const rules = { allow: allow.map(parseRule), ask: ask.map(parseRule), deny: deny.map(parseRule) }
  const policy: Policy = { mode, root, ...rules, isReadOnly }
  return {
    async mayDo(wish, { toolName }) {
      const { verdict, why } = judge(toolName, wish, policy)
      if (verdict === 'allow') return { allowed: true }
      if (verdict === 'deny') return { allowed: false, why: `${why}.` }
      return { allowed: false, why: `${why}, and nobody can be asked here. The user can allow it: ${howTo(wish)}` }
    },
    forbids: (kind, path) => forbids(policy, kind, path),
    isOffered: (tool) => isOffered(tool, policy),
  }
}

/** What lies behind an operator is not covered by any pattern, so only the whole tool can be allowed. */
function howTo(wish: Wish): string {
  const [, word] = wish.kind === 'run' ? (/^([\w./-]+)[^;&|<>()$`\n\r]*$/.exec(wish.command.trim()) ?? []) : []
  return `--allowedTools '${word === undefined ? wish.tool : `${wish.tool}(${word} *)`}'`
}
