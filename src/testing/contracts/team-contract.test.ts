import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openFileStore } from '../../stores/files/store.ts'
import { createPlace, openMemoryStore } from '../../stores/memory/store.ts'
import { teamContract } from './team-contract.ts'

teamContract('memory', async () => {
  const place = createPlace()
  return () => openMemoryStore(place)
})

teamContract('files', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'deskmates-team-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return () => openFileStore({ dir })
})
