import { describe, expect, it } from 'vitest'
import type { SessionContext } from '../agent/session-context.ts'
import type { SessionEvent } from '../agent/session-event.ts'
import type { TeamHandle } from '../journal/team-handle.ts'
import type { Author } from '../team/event.ts'
import { createOpenAgents, type OpenAgents } from './open-agents.ts'
import type { TeammateFactory } from './teammate/teammate-factory.ts'

const reporting = (emit: (event: SessionEvent) => void) => ({ run: { emit } }) as unknown as SessionContext
const team = { state: { members: new Map() } } as unknown as TeamHandle

describe('an open agent', () => {
  it('that cannot be closed is reported by its name, and does not fail the next idle agent', async () => {
    const reported: unknown[] = []
    const openAgent = opening(async (name) => {
      if (name === 'ada') throw new Error('no space left')
    })
    const agents = createOpenAgents(
      reporting((event) => void reported.push(event)),
      { team },
      openAgent,
    )
    await openAndClose(agents, 'ada', ...manyOthers)
    expect(reported).toEqual([{ type: 'note', agent: 'ada', text: 'Error: no space left' }])
  })

  it('that is being closed is opened again only when all of it is written', async () => {
    const order: string[] = []
    let release = () => {}
    const agents = createOpenAgents(
      reporting(() => {}),
      { team },
      opening(
        async (name) => {
          if (name !== 'ada') return
          await new Promise<void>((resolve) => {
            release = resolve
          })
          order.push('written')
        },
        (name) => name === 'ada' && order.push('opened'),
      ),
    )
    await openAndClose(agents, 'ada', ...manyOthers.slice(1))
    await agents.open({ name: 'last', generation: 1 })
    const closing = agents.close({ name: 'last', generation: 1 })
    const again = agents.open({ name: 'ada', generation: 1 })
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
    expect(order).toEqual(['opened'])
    release()
    await Promise.all([closing, again])
    expect(order).toEqual(['opened', 'written', 'opened'])
  })
})

const manyOthers = Array.from({ length: 32 }, (_, i) => `mate-${i}`)

function opening(dispose: (name: string) => Promise<void>, opened: (name: string) => unknown = () => {}) {
  return (async (_: unknown, { name }: Author) => {
    opened(name)
    return { [Symbol.asyncDispose]: () => dispose(name) }
  }) as unknown as TeammateFactory['openAgent']
}

async function openAndClose(agents: OpenAgents, ...names: string[]): Promise<void> {
  for (const name of names) {
    await agents.open({ name, generation: 1 })
    await agents.close({ name, generation: 1 })
  }
}
