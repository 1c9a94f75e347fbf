import { namesFor } from '../roles.ts'
import code from './code.md'
import explore from './explore.md'
import plan from './plan.md'

/** A kind of subagent: what it is told to be, and what it may use. Never the Task tool: subagents have none of their own. */
export interface AgentType {
  readonly name: string
  /** Tells the model when to use it. */
  readonly description: string
  readonly prompt: string
  readonly tools: readonly string[]
  /** Writes nothing, and what it runs needs a rule or an answer. */
  readonly isReadOnly: boolean
  /** Undefined: that of whoever starts it. */
  readonly model: string | undefined
  /** Calls of its model at most, as a subagent. */
  readonly maxTurns?: number | undefined
}

export const BUILT_IN: readonly AgentType[] = [
  {
    name: 'explore',
    description: 'looks around and reports what it finds; changes nothing',
    prompt: explore.trim(),
    tools: namesFor('explore'),
    isReadOnly: true,
    model: undefined,
  },
  {
    name: 'plan',
    description: 'works out a numbered plan; changes nothing',
    prompt: plan.trim(),
    tools: namesFor('plan'),
    isReadOnly: true,
    model: undefined,
  },
  {
    name: 'code',
    description: 'carries out one piece of work from beginning to end',
    prompt: code.trim(),
    tools: namesFor('code'),
    isReadOnly: false,
    model: undefined,
  },
]
