import { describe, expect, it } from 'vitest'
import type { Transcript } from '../agent/transcript/transcript.ts'
import { openTeam } from '../journal/team-handle.ts'
import { openMemoryStore } from '../stores/memory/store.ts'
import { unreadOf } from '../team/state.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { createReports } from './reports.ts'

describe('the voice of a teammate', () => {
  async function scene() {
    const team = await openTeam(await openMemoryStore(), 'web')
    await team.run({ type: 'team.create', team: 'web' })
    await team.run({ type: 'member.join', name: 'ada', role: 'dev' })
    const syncs: { done(): void; fail(error: Error): void }[] = []
    const transcript = {
      synced: () => new Promise<void>((done, fail) => void syncs.push({ done, fail })),
    } as Transcript
    const voice = createReports({ team, clock: manualClock() }, { name: 'ada' }, () => {})
    const heard = () => unreadOf(team.state, 'lead').map(({ message }) => message.content)
    const rounds = async () => {
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
    }
    return { voice, transcript, syncs, heard, rounds }
  }

  it('tells the lead what its turn came to only when that is durable', async () => {
    const { voice, transcript, syncs, heard, rounds } = await scene()
    voice.sendResult('all is well', transcript)
    await rounds()
    expect(heard()).toEqual([])
    syncs[0]!.done()
    await voice.pending
    await rounds()
    expect(heard()).toEqual(['all is well'])
    expect(voice.pending).toBeUndefined()
  }) // A71, F2

  it('tells it in order, however the disk takes its time', async () => {
    const { voice, transcript, syncs, heard, rounds } = await scene()
    voice.sendResult('one', transcript)
    voice.sendResult('two', transcript)
    syncs[1]!.done()
    await rounds()
    expect(heard()).toEqual([])
    syncs[0]!.done()
    await voice.pending
    await rounds()
    expect(heard()).toEqual(['one', 'two'])
  }) // A71

  it('says why it could not tell it to whoever waits for that', async () => {
    const { voice, transcript, syncs, heard } = await scene()
    voice.sendResult('never', transcript)
    syncs[0]!.fail(new Error('the disk did not confirm it'))
    await expect(voice.pending).rejects.toThrow('the disk did not confirm it')
    expect(heard()).toEqual([])
  })
})
