import { createFence } from '../agent/fence.ts'
import type { Membership } from '../agent/membership.ts'
import type { SessionContext } from '../agent/session-context.ts'
import type { RanHook } from '../permissions/hooks/hooks.ts'
import { stopHookText } from '../prompts/notices.ts'
import { idleGateFeedback } from './commits/idle-gate.ts'

/** How often Stop hooks may make an agent continue, so that a hook that always objects does not spend without end. */
const MAX_CONTINUATIONS = 8

/** What a teammate has to do before its turn ends, by a Stop hook or the idle gate of its role; undefined if it may end. */
export async function turnEndFeedback(
  context: SessionContext,
  membership: Membership,
  continued: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const feedback = await stopHookFeedback(context, membership, continued, signal)
  return feedback ?? idleGateFeedback(context, membership, continued)
}

/** What a Stop hook wants done before this agent stops; undefined if it may stop. */
export async function stopHookFeedback(
  { hooks, run, store }: Pick<SessionContext, 'hooks' | 'run' | 'store'>,
  { team, by }: Membership,
  continued: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!hooks?.has('Stop') || continued >= MAX_CONTINUATIONS) return undefined
  const agent = by.name
  const fence = createFence({ team, presence: store.presence }, by)
  const show = (ran: RanHook) => run.emit({ type: 'hook', agent, ...ran })
  const { refusal } = await hooks.run('Stop', { agent, isGoingOn: continued > 0 }, { signal, fence }, show)
  return refusal === undefined || signal.aborted ? undefined : stopHookText(refusal)
}
