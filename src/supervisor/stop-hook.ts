import { createFence } from '../agent/fence.ts'
import type { Membership } from '../agent/membership.ts'
import type { SessionContext } from '../agent/session-context.ts'
import type { RanHook } from '../permissions/hooks/hooks.ts'
import { stopHookText } from '../prompts/notices.ts'

/** How often hooks may keep an agent from resting, so that one that is never content does not spend for ever. */
const MOST_MORE = 8

/** What a Stop hook wants to be done before this agent rests; undefined if it may rest. */
export async function stopHookFeedback(
  { hooks, run, store }: Pick<SessionContext, 'hooks' | 'run' | 'store'>,
  { team, by }: Membership,
  goneOn: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!hooks?.has('Stop') || goneOn >= MOST_MORE) return undefined
  const agent = by.name
  const fence = createFence({ team, presence: store.presence }, by)
  const show = (ran: RanHook) => run.emit({ type: 'hook', agent, ...ran })
  const { refusal } = await hooks.run('Stop', { agent, isGoingOn: goneOn > 0 }, { signal, fence }, show)
  return refusal === undefined || signal.aborted ? undefined : stopHookText(refusal)
}
