import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openTeam } from '../../journal/team-handle.ts'
import { storeContract } from '../../testing/contracts/store-contract.ts'
import { openFileStore } from './store.ts'

const folder = mkdtempSync(join(tmpdir(), 'deskmates-store-'))
afterAll(() => rmSync(folder, { recursive: true }))

storeContract('the files store', async () => {
  const dir = mkdtempSync(join(folder, 'place-'))
  return (options) => openFileStore({ dir, ...options })
})

describe('fifty file stores in one process', () => {
  it('add no listener to it, with a team each that was written and watched', async () => {
    const listeners = () => process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
    const before = listeners()
    const opened: AsyncDisposable[] = []
    try {
      for (let i = 0; i < 50; i++) {
        const store = await openFileStore({ dir: mkdtempSync(join(folder, 'many-')), durability: 'process' })
        opened.unshift(store)
        const team = await openTeam(store, 'web')
        opened.unshift(team)
        await team.run({ type: 'team.create', team: 'web' })
        await team.changed(0)
      }
      expect(listeners()).toBe(before)
    } finally {
      for (const one of opened) await one[Symbol.asyncDispose]()
    }
  })
})
