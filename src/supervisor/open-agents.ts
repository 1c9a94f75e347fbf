import type { OpenAgent } from '../agent/agent.ts'
import type { Membership } from '../agent/membership.ts'
import type { SessionContext } from '../agent/session-context.ts'
import type { Author } from '../team/event.ts'
import { memberNamed } from '../team/state.ts'
import type { TeammateFactory } from './teammate/teammate-factory.ts'

/** The open conversations of a team. An idle teammate needs none: its conversation is on disk. */
export interface OpenAgents extends AsyncDisposable {
  open(by: Author): Promise<OpenAgent>
  /** The teammate is idle; its conversation may stay open in case it is needed again soon. */
  close(by: Author): Promise<void>
  /** The teammate ended: nothing of it stays in memory. */
  clear(by: Author): Promise<void>
}

/** So many idle teammates stay open, so that waking one does not read its transcript again. */
const MAX_IDLE_OPEN = 32

export function createOpenAgents(
  { run }: Pick<SessionContext, 'run'>,
  { team }: Pick<Membership, 'team'>,
  openAgent: TeammateFactory['openAgent'],
): OpenAgents {
  const inUse = new Map<string, OpenAgent>()
  const kept = new Map<string, OpenAgent>()
  /** Agents that are being closed: they are not opened again before everything of them is written. */
  const closing = new Map<string, Promise<void>>()

  function dispose(key: string, agent: OpenAgent): Promise<void> {
    const gone = Promise.resolve(agent[Symbol.asyncDispose]()).finally(() => closing.delete(key))
    closing.set(key, gone)
    return gone
  }

  return {
    async open(by) {
      const key = keyOf(by)
      await closing.get(key)?.catch(() => {})
      const agent = kept.get(key) ?? (await openAgent(memberNamed(team.state, by.name)!, by))
      kept.delete(key)
      inUse.set(key, agent)
      return agent
    },
    async close(by) {
      const key = keyOf(by)
      const agent = inUse.get(key)
      if (!agent) return
      inUse.delete(key)
      kept.set(key, agent)
      const [oldest] = kept.size > MAX_IDLE_OPEN ? kept : []
      if (oldest) {
        const [key, agent] = oldest
        kept.delete(key)
        try {
          await dispose(key, agent)
        } catch (error) {
          // The teammate that is idle now is not at fault.
          run.emit({ type: 'note', agent: key.replace(/\/\d+$/, ''), text: String(error) })
        }
      }
    },
    async clear(by) {
      const key = keyOf(by)
      const agent = inUse.get(key) ?? kept.get(key)
      inUse.delete(key)
      kept.delete(key)
      await closing.get(key)?.catch(() => {})
      await agent?.[Symbol.asyncDispose]()
    },
    async [Symbol.asyncDispose]() {
      const all = [...inUse.values(), ...kept.values()]
      inUse.clear()
      kept.clear()
      await Promise.all([...closing.values(), ...all.map((agent) => agent[Symbol.asyncDispose]())])
    },
  }
}

function keyOf({ name, generation }: Author): string {
  return `${name}/${generation}`
}
