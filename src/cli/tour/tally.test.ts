import { describe, expect, it } from 'vitest'
import type { TeamEvent } from '../../team/event.ts'
import { emptyState } from '../../team/state.ts'
import type { Happened } from './chronicle.ts'
import { tallyOf } from './tally.ts'

const happened = (events: readonly TeamEvent[], effects: Happened['effects'] = []): Happened => ({
  ...{ at: 0, by: 'ada', events, effects },
})
const claimed = (id: string, owner: string) =>
  happened([{ type: 'task.claimed', id, owner, generation: 1, lease: null }])
const completed = (id: string) => happened([{ type: 'task.completed', id, result: null, commit: null }])
const outcome = (id: string, to: string, what: 'queued' | 'delivered' | 'bounced') =>
  happened([], [{ id, to, outcome: what }])

describe('the count at the end of the tour', () => {
  const count = (...all: Happened[]) => tallyOf({ all, state: emptyState() })

  it('finds a task that two held at once, and one that was done twice', () => {
    expect(count(claimed('1', 'ada'), claimed('1', 'bob'))).toMatchObject({ claims: { total: 2, doubled: 1 } })
    expect(count(claimed('1', 'ada'), completed('1'), claimed('1', 'bob'), completed('1'))).toMatchObject({
      claims: { doubled: 0 },
      tasks: { doubled: 1 },
    })
  })

  it('finds a message that nobody read, and one that its reader got twice', () => {
    expect(count(outcome('m', 'ada', 'queued'))).toMatchObject({ messages: { lost: 1 } })
    expect(count(outcome('m', 'ada', 'queued'), outcome('m', 'ada', 'bounced'))).toMatchObject({
      messages: { lost: 0 },
    })
    const read = outcome('m', 'ada', 'delivered')
    expect(count(outcome('m', 'ada', 'queued'), read, read)).toMatchObject({ messages: { doubled: 1, delivered: 1 } })
  })
})
