import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../journal/clock.ts'
import { openMemoryStore } from '../../stores/memory/store.ts'
import { createViewGuard } from './view-guard.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-guard-')))
  for (const folder of ['03-api', '02-base']) mkdirSync(join(root, folder))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** What a command leaves of a summary that was written `seconds` after it began, in a folder that became known meanwhile. */
async function leftAfter(seconds: number): Promise<boolean> {
  const known = ['03-api']
  const places = {
    watched: () => known.map((folder) => join(root, folder)),
    handOffFiles: { names: [], isOfPhase: () => true },
  }
  const clock = { ...systemClock, now: () => systemClock.now() - seconds }
  const workspace = { store: await openMemoryStore() }
  const guard = createViewGuard({ root, workspace, clock, places, team: () => undefined, report() {} })
  const file = join(root, '02-base', '02-01.summary.jsonl')
  const end = guard.watch('ada')
  known.push('02-base')
  writeFileSync(file, '{"s":"complete"}')
  // Programs can set this time, so it says nothing.
  utimesSync(file, 1, 1)
  await end()
  return existsSync(file)
}

describe('a summary in a folder that becomes known while a command runs', () => {
  it('stays where it is older than the command, and goes where the command made it', async () => {
    expect(await leftAfter(-60)).toBe(true)
    rmSync(join(root, '02-base', '02-01.summary.jsonl'))
    expect(await leftAfter(1)).toBe(false)
  }) // C39
})
