import { describe, expect, it } from 'vitest'
import type { Transcript } from '../../agent/transcript/transcript.ts'
import { openTeam } from '../../journal/team-handle.ts'
import { openMemoryStore } from '../../stores/memory/store.ts'
import { unreadOf } from '../../team/state.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { createReports } from './reports.ts'

describe('the reports of a teammate', () => {
  async function openReports() {
    const team = await openTeam(await openMemoryStore(), 'web')
    await team.run({ type: 'team.create', team: 'web' })
    await team.run({ type: 'member.join', name: 'ada', role: 'dev' })
    const syncs: { done(): void; fail(error: Error): void }[] = []
    const transcript = {
      synced: () => new Promise<void>((done, fail) => void syncs.push({ done, fail })),
    } as Transcript
    const reports = createReports({ team, clock: manualClock() }, { name: 'ada' }, () => {})
    const mailOfLead = () => unreadOf(team.state, 'lead').map(({ message }) => message.content)
    const rounds = async () => {
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
    }
    return { reports, transcript, syncs, mailOfLead, rounds }
  }

  it('send a result to the lead only when its transcript is durable', async () => {
    const { reports, transcript, syncs, mailOfLead, rounds } = await openReports()
    reports.sendResult('all is well', transcript)
    await rounds()
    expect(mailOfLead()).toEqual([])
    syncs[0]!.done()
    await reports.pending
    await rounds()
    expect(mailOfLead()).toEqual(['all is well'])
    expect(reports.pending).toBeUndefined()
  }) // A71, F2

  it('send results in order, whichever is durable first', async () => {
    const { reports, transcript, syncs, mailOfLead, rounds } = await openReports()
    reports.sendResult('one', transcript)
    reports.sendResult('two', transcript)
    syncs[1]!.done()
    await rounds()
    expect(mailOfLead()).toEqual([])
    syncs[0]!.done()
    await reports.pending
    await rounds()
    expect(mailOfLead()).toEqual(['one', 'two'])
  }) // A71

  it('reject for the caller that waits when a result cannot be sent', async () => {
    const { reports, transcript, syncs, mailOfLead } = await openReports()
    reports.sendResult('never', transcript)
    syncs[0]!.fail(new Error('the disk did not confirm it'))
    await expect(reports.pending).rejects.toThrow('the disk did not confirm it')
    expect(mailOfLead()).toEqual([])
  })
})
