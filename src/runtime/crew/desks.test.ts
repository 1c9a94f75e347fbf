import { expect, it } from 'vitest'
import type { Author } from '../../team/event.ts'
import type { Team } from '../team.ts'
import type { CrewPlan } from './crew-plan.ts'
import { createDesks } from './desks.ts'

it('a desk that cannot be closed is told of by its owner’s name, not thrown at whoever rests after it', async () => {
  const team = { state: { members: new Map() } } as unknown as Team
  const openDesk = (async (_: unknown, { name }: Author) => ({
    async [Symbol.asyncDispose]() {
      if (name === 'ada') throw new Error('no room')
    },
  })) as unknown as CrewPlan['openDesk']
  const told: unknown[] = []
  const desks = createDesks({ team, openDesk, tell: (event) => void told.push(event) })
  for (const name of ['ada', ...Array.from({ length: 33 }, (_, i) => `mate-${i}`)]) {
    await desks.open({ name, generation: 1 })
    await desks.close({ name, generation: 1 })
  }
  expect(told).toEqual([{ type: 'note', agent: 'ada', text: 'Error: no room' }])
})
