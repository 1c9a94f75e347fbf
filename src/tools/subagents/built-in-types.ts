import { namesFor } from '../registry.ts'
import { type AgentType, ALL_SERVER_TOOLS } from './agent-type.ts'
import code from './code.md'
import explore from './explore.md'
import plan from './plan.md'

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
    tools: [...namesFor('code'), ALL_SERVER_TOOLS],
    isReadOnly: false,
    model: undefined,
  },
]
