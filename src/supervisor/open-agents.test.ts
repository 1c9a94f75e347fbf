import { describe, expect, it } from 'vitest'
import type { SessionContext } from '../agent/session-context.ts'
import type { SessionEvent } from '../agent/session-event.ts'
import type { TeamHandle } from '../journal/team-handle.ts'
import type { Author } from '../team/event.ts'
import { createOpenAgents, type OpenAgents } from './open-agents.ts'
import type { TeammateFactory } from './teammate-factory.ts'

const reporting = (emit: (event: SessionEvent) => void) => ({ run: { emit } }) as unknown as SessionContext
const team = { state: { members: new Map() } } as unknown as TeamHandle

describe('a desk', () => {
  it('that cannot be closed is told of by its owner’s name, not thrown at whoever rests after it', async () => {
    const told: unknown[] = []
    const openAgent = opening(async (name) => {
      if (name === 'ada') throw new Error('no room')
    })
    const desks = createOpenAgents(
      reporting((event) => void told.push(event)),
      { team },
      openAgent,
    )
    await sitAndRest(desks, 'ada', ...manyOthers)
    expect(told).toEqual([{ type: 'note', agent: 'ada', text: 'Error: no room' }])
  })

  it('that is being put away is sat down at again only when all of it is written', async () => {
    const order: string[] = []
    let release = () => {}
    const desks = createOpenAgents(
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
    await sitAndRest(desks, 'ada', ...manyOthers.slice(1))
    await desks.open({ name: 'last', generation: 1 })
    const closing = desks.close({ name: 'last', generation: 1 })
    const again = desks.open({ name: 'ada', generation: 1 })
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

async function sitAndRest(desks: OpenAgents, ...names: string[]): Promise<void> {
  for (const name of names) {
    await desks.open({ name, generation: 1 })
    await desks.close({ name, generation: 1 })
  }
}
