import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { simulate } from './simulation.ts'

/** Few seeds: what the thousand of `simulations` check too, but soon enough for a mutation. */
const SEEDS = [1, 2, 3, 4, 5, 6]

describe('a simulated run that has finished', { timeout: 60_000 }, () => {
  let root: string
  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-results-')))
    vi.stubEnv('PATH', root)
  })
  afterAll(() => {
    vi.unstubAllEnvs()
    rmSync(root, { recursive: true, force: true })
  })

  it('leaves no result that its lead has not received', async () => {
    const faults: string[] = []
    for (const seed of SEEDS) faults.push(...(await simulate(seed, root)).faults)
    expect(faults).toEqual([])
  })
})
