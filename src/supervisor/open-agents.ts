import type { OpenAgent } from '../agent/agent.ts'
import type { Author } from '../team/event.ts'
import { memberNamed } from '../team/state.ts'
import type { SupervisedTeamOptions } from './supervisor-options.ts'

/** The desks of a crew. Whoever rests needs none: its conversation is on disk. */
export interface OpenAgents extends AsyncDisposable {
  open(by: Author): Promise<OpenAgent>
  /** It rests; the desk may be needed again soon, or not. */
  close(by: Author): Promise<void>
  /** It is gone: nothing of it stays in memory. */
  clear(by: Author): Promise<void>
}

/** So many of those who rest keep their desk, so that waking them costs no reading. */
const MAX_IDLE_OPEN = 32

export function createOpenAgents({
  team,
  openAgent: openDesk,
  emit: tell,
}: Pick<SupervisedTeamOptions, 'team' | 'openAgent' | 'emit'>): OpenAgents {
  const inUse = new Map<string, OpenAgent>()
  const kept = new Map<string, OpenAgent>()
  /** Those that are being cleared: what they still have to write is written before anybody sits there again. */
  const leaving = new Map<string, Promise<void>>()

  function putAway(key: string, desk: OpenAgent): Promise<void> {
    const gone = Promise.resolve(desk[Symbol.asyncDispose]()).finally(() => leaving.delete(key))
    leaving.set(key, gone)
    return gone
  }

  return {
    async open(by) {
      const key = keyOf(by)
      await leaving.get(key)?.catch(() => {})
      const desk = kept.get(key) ?? (await openDesk(memberNamed(team.state, by.name)!, by))
      kept.delete(key)
      inUse.set(key, desk)
      return desk
    },
    async close(by) {
      const key = keyOf(by)
      const desk = inUse.get(key)
      if (!desk) return
      inUse.delete(key)
      kept.set(key, desk)
      const [oldest] = kept.size > MAX_IDLE_OPEN ? kept : []
      if (oldest) {
        const [key, desk] = oldest
        kept.delete(key)
        try {
          await putAway(key, desk)
        } catch (error) {
          // Nothing that whoever rests now could help.
          tell({ type: 'note', agent: key.replace(/\/\d+$/, ''), text: String(error) })
        }
      }
    },
    async clear(by) {
      const key = keyOf(by)
      const desk = inUse.get(key) ?? kept.get(key)
      inUse.delete(key)
      kept.delete(key)
      await leaving.get(key)?.catch(() => {})
      await desk?.[Symbol.asyncDispose]()
    },
    async [Symbol.asyncDispose]() {
      const all = [...inUse.values(), ...kept.values()]
      inUse.clear()
      kept.clear()
      await Promise.all([...leaving.values(), ...all.map((desk) => desk[Symbol.asyncDispose]())])
    },
  }
}

function keyOf({ name, generation }: Author): string {
  return `${name}/${generation}`
}
