import { describe, expect, it, vi } from 'vitest'
import { openMemoryStore } from '../../stores/memory/store.ts'
import type { Store } from '../log/store.ts'
import { openTeam } from '../team-handle.ts'
import type { Views } from '../views.ts'

function viewsed(store: Store, show: Views['write']): Store {
  const views: Views = {
    write: show,
    writeSteps: async (state, cursor) => {
      await show(state, cursor)
      return []
    },
    collect: async () => undefined,
    inboxChanged: async () => {},
    writtenTo: async () => 0,
    differences: async () => [],
    repair: async () => {},
  }
  return { ...store, views: () => views }
}

const soon = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('view files', () => {
  it('show the end of the journal when a team is closed', async () => {
    const shown: number[] = []
    const store = viewsed(await openMemoryStore(), async (state) => void shown.push(state.tasks.size))
    const team = await openTeam(store, 'web')
    await team.run({ type: 'team.create', team: 'web' })
    for (let i = 0; i < 5; i++) await team.run({ type: 'task.add', tasks: [{ subject: 'x' }] })
    await team.close()
    expect(shown.at(-1)).toBe(5)
  })

  it('are not written by a team that changed nothing', async () => {
    let shown = 0
    const store = viewsed(await openMemoryStore(), async () => void shown++)
    await (await openTeam(store, 'web')).close()
    expect(shown).toBe(0)
  })

  it('are written on close if they could not be written before, or closing fails with the cause', async () => {
    let fails = 1
    let shown = 0
    const store = viewsed(await openMemoryStore(), async () => {
      if (fails-- > 0) throw new Error('disk full')
      shown++
    })
    const team = await openTeam(store, 'web')
    await team.run({ type: 'team.create', team: 'web' })
    while (fails > 0) await soon()
    await team.close()
    expect(shown).toBe(1)
    fails = 1000
    const other = await openTeam(store, 'web')
    await other.run({ type: 'task.add', tasks: [{ subject: 'x' }] })
    await expect(other.close()).rejects.toThrow('disk full')
  })

  it('are written one at a time while the team continues', async () => {
    const order: string[] = []
    const memory = await openMemoryStore()
    const store = viewsed(memory, async () => void order.push('shown'))
    const views = store.views!('web')
    const team = await openTeam({ ...store, views: () => ({ ...views, writeSteps: steps }) }, 'web')
    let added: Promise<unknown> | undefined
    async function steps() {
      if (added) return []
      return Array.from({ length: 20 }, (_, i) => () => {
        order.push(i < 19 ? 'a file' : 'the last file')
        if (i === 0)
          added = team.run({ type: 'task.add', tasks: [{ subject: 'x' }] }).then(() => void order.push('added'))
      })
    }
    await team.run({ type: 'team.create', team: 'web' })
    while (order.at(-1) !== 'the last file') await soon()
    expect(order.filter((what) => what !== 'a file')).toEqual(['added', 'the last file'])
    await team.close()
    expect(order.at(-1)).toBe('shown')
  })

  it('are written again within seconds, however long the last time took', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    try {
      let shown = 0
      const memory = await openMemoryStore()
      const store = viewsed(memory, async () => {})
      const views = store.views!('web')
      // The machine slept, or the disk was away for a while.
      const steps = async () => [() => shown++ === 0 && vi.advanceTimersByTime(60_000)]
      const team = await openTeam({ ...store, views: () => ({ ...views, writeSteps: steps }) }, 'web')
      const later = async (milliseconds: number) => {
        await vi.advanceTimersByTimeAsync(milliseconds)
        for (let i = 0; i < 20; i++) await soon()
      }
      await team.run({ type: 'team.create', team: 'web' })
      await later(300)
      expect(shown).toBe(1)
      await team.run({ type: 'task.add', tasks: [{ subject: 'x' }] })
      await later(1000)
      expect(shown).toBe(1)
      await later(1500)
      expect(shown).toBe(2)
      await team.close()
    } finally {
      vi.useRealTimers()
    }
  })

  it('are finished before a team closes', async () => {
    let finish = () => {}
    let writing = false
    const store = viewsed(await openMemoryStore(), async () => {
      writing = true
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      writing = false
    })
    const team = await openTeam(store, 'web')
    await team.run({ type: 'team.create', team: 'web' })
    while (!writing) await soon()
    let closed = false
    const closing = team.close().then(() => {
      closed = true
    })
    for (let i = 0; i < 20; i++) await soon()
    expect(closed).toBe(false)
    finish()
    await closing
    expect(writing).toBe(false)
  })
})
