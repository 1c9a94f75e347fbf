import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { openFileStore } from '../../stores/files/store.ts'
import { createPlace, openMemoryStore } from '../../stores/memory/store.ts'
import { commandSequences } from './command-sequences.ts'

commandSequences('memory', async () => {
  const place = createPlace()
  return () => openMemoryStore(place)
})

const dirs: string[] = []
afterAll(() => {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true })
})

commandSequences(
  'files',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'deskmates-sequences-'))
    dirs.push(dir)
    return () => openFileStore({ dir, durability: 'process' })
  },
  20,
)
