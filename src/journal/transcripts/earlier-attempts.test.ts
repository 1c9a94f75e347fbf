import { describe, expect, it } from 'vitest'
import { openTranscript } from '../../agent/transcript/transcript.ts'
import { openMemoryStore } from '../../stores/memory/store.ts'
import { emptyState } from '../../team/state.ts'
import type { Attempt } from '../../team/task.ts'
import type { Store } from '../log/store.ts'
import { openTeam } from '../team-handle.ts'
import { earlierAttempts } from './earlier-attempts.ts'

const attempt = (owner: string, reason: string): Attempt => ({
  owner,
  claimedAt: 1,
  endedAt: 2,
  end: 'released',
  reason,
})

async function attemptsOf(ended: readonly Attempt[], owner: string, change: Partial<Store> = {}): Promise<string[]> {
  await using store = await openMemoryStore()
  const team = { name: 'web', state: emptyState() }
  const attempts = await earlierAttempts({ ...store, ...change }, team, { id: '1', ended }, owner)
  return attempts.map(({ owner, reason }) => `${owner}: ${reason}`)
}

describe('earlier attempts at a task', () => {
  it('are the newest ones if there are many, the last of each member', async () => {
    const names = ['ada', 'bob', 'cem', 'Ada', 'dan']
    const ended = names.map((name, i) => attempt(name, `try ${i}`))
    expect(await attemptsOf(ended, 'eve')).toEqual(['cem: try 2', 'Ada: try 3', 'dan: try 4'])
  }) // T46

  it('are those since the owner last held the task itself', async () => {
    const names = ['ada', 'bob', 'ada', 'Bob', 'cem']
    const ended = names.map((name, i) => attempt(name, `try ${i}`))
    expect(await attemptsOf(ended, 'bob')).toEqual(['cem: try 4'])
    expect(await attemptsOf(ended, 'ada')).toEqual(['Bob: try 3', 'cem: try 4'])
  }) // T46

  it('are listed without calls when a transcript cannot be read', async () => {
    const log = () => Promise.reject(new Error('the transcript is damaged'))
    expect(await attemptsOf([attempt('ada', 'no time')], 'bob', { log })).toEqual(['ada: no time'])
  }) // T46

  it('list the calls of a lead from its conversation, which the team of its session keeps', async () => {
    await using store = await openMemoryStore()
    await using team = await openTeam(store, 'side')
    await team.run({ type: 'team.create', team: 'side', session: 'home' })
    await using transcript = await openTranscript({ log: await store.log('home/transcripts/lead'), generation: 1 })
    const input = { command: 'echo migrated' }
    await transcript.addInput({ role: 'user', content: [{ type: 'text', text: 'Go.' }] }, [])
    await transcript.answer({
      turn: { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'bash', input }] },
      end: 'finished',
      usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 },
      cost: null,
      model: 'scripted/x',
    })
    await transcript.synced()
    const [first] = await earlierAttempts(store, team, { id: '1', ended: [attempt('lead', 'no time')] }, 'ada')
    expect(first?.lastCalls.join()).toContain('echo migrated')
  }) // T46
})
