import type { OpenAgent } from '../agent/agent.ts'
import type { createHandOver } from './teammate/hand-over.ts'

/** The same agent; it takes no further input once `mayContinue` throws. */
export function guardInput(
  agent: OpenAgent,
  handOver: Pick<ReturnType<typeof createHandOver>, 'beforeInput'>,
  signal: AbortSignal,
  mayContinue: () => void,
): OpenAgent {
  const next = async () => {
    mayContinue()
    await handOver.beforeInput(agent, signal)
    mayContinue()
    const input = await agent.inbox.next()
    mayContinue()
    return input
  }
  // Its tools may change while it works, so they are not copied.
  return Object.create(agent, { inbox: { value: { ...agent.inbox, next } } })
}
