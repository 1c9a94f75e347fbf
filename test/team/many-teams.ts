import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Recorded } from '../../src/journal/log/store.ts'
import { figure } from '../storms/place.ts'
import { checkRecords, recordsOf } from './check-records.ts'
import { simulate, TEAM } from './simulation.ts'

const one = process.env.DESKMATES_TEAM_SEED

/** Simulates every second seed from `first` on: two files share the seeds, so that two cores do. */
export function manyTeams(first: 1 | 2): void {
  let root: string
  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-simulation-')))
    // Finds no git: starting it a thousand times to count uncommitted files would take longer than all the rest.
    vi.stubEnv('PATH', root)
  })
  afterAll(() => {
    vi.unstubAllEnvs()
    rmSync(root, { recursive: true, force: true })
  })

  describe('a simulated team', { timeout: 1_800_000 }, () => {
    it.skipIf(one && Number(one) % 2 !== first % 2)(
      'finishes its work despite crashes, aborts, failing providers, lost wake-ups and suspends',
      async () => {
        const count = figure('TEAMS', 1000, 10_000) / 2
        const seeds = one ? [Number(one)] : Array.from({ length: count }, (_, i) => 2 * i + first)
        const sum = { steps: 0, calls: 0, deaths: 0, cuts: 0 }
        const broken: string[] = []
        for (const seed of seeds) {
          const { place, faults, ...counts } = await simulate(seed, root)
          for (const key of ['steps', 'calls', 'deaths', 'cuts'] as const) sum[key] += counts[key]
          const records = recordsOf(place, TEAM)
          const [fault] = [...faults, ...checkRecords(records)]
          if (fault) broken.push(`${fault}; again: DESKMATES_TEAM_SEED=${seed} npx vitest run test/team/simulations`)
          if (one) console.log(records.journal.map(describeRecord).join('\n'))
          if (broken.length > 4) break
        }
        expect(broken).toEqual([])
        console.log(
          `teams: ${seeds.length} simulated, ${sum.calls} model calls, ${sum.deaths} deaths, ${sum.cuts} cut off, ${sum.steps} steps`,
        )
        if (!one) expect(sum.deaths).toBeGreaterThan(seeds.length / 3)
        if (!one) expect(sum.cuts).toBeGreaterThan(seeds.length / 3)
      },
    )
  })
}

/** A line of the journal, to look into one seed. */
function describeRecord({ seq, record }: Recorded): string {
  const { name, generation = '' } = record.by as { name: string; generation?: number }
  const events = record.events as { type: string }[]
  return `${seq} ${name}/${generation} ${events.map((event) => JSON.stringify(event).slice(0, 160)).join(' ')}`
}
