import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { storeContract } from '../../testing/contracts/store-contract.ts'
import { openFileStore } from './store.ts'

const folder = mkdtempSync(join(tmpdir(), 'deskmates-store-'))
afterAll(() => rmSync(folder, { recursive: true }))

storeContract('the files store', async () => {
  const dir = mkdtempSync(join(folder, 'place-'))
  return (options) => openFileStore({ dir, ...options })
})
