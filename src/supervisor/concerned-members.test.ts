import { describe, expect, it } from 'vitest'
import { openTeam } from '../journal/team-handle.ts'
import { openMemoryStore } from '../stores/memory/store.ts'
import type { Applied } from '../team/apply.ts'
import { concernedMembers } from './concerned-members.ts'

async function watchedTeam() {
  const store = await openMemoryStore()
  const team = await openTeam(store, 'web')
  await team.run({ type: 'team.create', team: 'web' })
  for (const name of ['Ada', 'bob', 'eve']) await team.run({ type: 'member.join', name, role: 'dev' })
  const records: Applied[] = []
  team.watch((applied) => records.push(applied))
  /** Of the last record. */
  const concerned = () => concernedMembers(records.at(-1)!)
  return { team, concerned }
}

describe('the members concerned by a record', () => {
  it('are the receivers of a message, one or all', async () => {
    const { team, concerned } = await watchedTeam()
    await team.send({ to: 'ada', content: 'Hello' })
    expect(concerned()).toEqual(new Set(['ada']))
    await team.send({ to: 'all', content: 'Hello', type: 'broadcast' })
    expect(concerned()).toEqual(new Set(['lead', 'ada', 'bob', 'eve']))
    await team.send({ to: 'lead', content: 'Hello' })
    expect(concerned()).toEqual(new Set(['lead']))
  })

  it('are none after a report of usage or activity', async () => {
    const { team, concerned } = await watchedTeam()
    await team.report([{ type: 'member.activity', name: 'Ada', generation: 1, status: 'working' }])
    expect(concerned()).toEqual(new Set())
  })

  it('are the reader of delivered mail', async () => {
    const { team, concerned } = await watchedTeam()
    await team.send({ to: 'bob', content: 'Hello' })
    const ids = [...team.state.mailboxes.get('bob')!.keys()]
    await team.report([{ type: 'message.delivered', member: 'bob', ids, take: null }])
    expect(concerned()).toEqual(new Set(['bob']))
  })

  it('are all after any other event, also together with a message, and where the events are unknown', async () => {
    const { team, concerned } = await watchedTeam()
    await team.run({ type: 'task.add', tasks: [{ subject: 'dig' }] })
    expect(concerned()).toBe('all')
    const message = { type: 'message.sent', message: { to: 'ada' } } as unknown as Applied['events'][number]
    const task = { type: 'task.released' } as unknown as Applied['events'][number]
    expect(concernedMembers({ events: [message, task], effects: [] })).toBe('all')
    expect(concernedMembers({ events: [], effects: [] })).toBe('all')
  })
})
