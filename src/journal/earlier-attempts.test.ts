import { describe, expect, it } from 'vitest'
import { openMemoryStore } from '../stores/memory/memory-store.ts'
import { emptyState } from '../team/state.ts'
import type { Attempt } from '../team/task.ts'
import { earlierAttempts } from './earlier-attempts.ts'
import type { Store } from './store.ts'

const attempt = (owner: string, reason: string): Attempt => ({
  owner,
  claimedAt: 1,
  endedAt: 2,
  end: 'released',
  reason,
})

async function told(ended: readonly Attempt[], owner: string, change: Partial<Store> = {}): Promise<string[]> {
  await using store = await openMemoryStore()
  const team = { name: 'web', state: emptyState() }
  const attempts = await earlierAttempts({ ...store, ...change }, team, { id: '1', ended }, owner)
  return attempts.map(({ owner, reason }) => `${owner}: ${reason}`)
}

describe('earlier attempts at a task', () => {
  it('are the newest ones where there are many, the last of each member', async () => {
    const names = ['ada', 'bob', 'cem', 'Ada', 'dan']
    const ended = names.map((name, i) => attempt(name, `try ${i}`))
    expect(await told(ended, 'eve')).toEqual(['cem: try 2', 'Ada: try 3', 'dan: try 4'])
  }) // T46

  it('are those since the owner last held the task itself', async () => {
    const names = ['ada', 'bob', 'ada', 'Bob', 'cem']
    const ended = names.map((name, i) => attempt(name, `try ${i}`))
    expect(await told(ended, 'bob')).toEqual(['cem: try 4'])
    expect(await told(ended, 'ada')).toEqual(['Bob: try 3', 'cem: try 4'])
  }) // T46

  it('are told without calls when a transcript cannot be read', async () => {
    const log = () => Promise.reject(new Error('the transcript is damaged'))
    expect(await told([attempt('ada', 'no time')], 'bob', { log })).toEqual(['ada: no time'])
  }) // T46
})
