import { describe, expect, it } from 'vitest'
import { doctorHarness } from '../../../test/cli/doctor-harness.ts'
import type { Store } from '../../journal/log/store.ts'
import { createPlace, openMemoryStore } from '../../stores/memory/store.ts'
import { TeamError } from '../../team/errors.ts'
import { Misused } from '../program/failure.ts'
import { postgres } from './postgres.ts'

const ADDRESS = 'postgres://ada:s%40cret@db.example/teams'
const given = { env: { DESKMATES_STORE: ADDRESS } }

class Unreachable extends TeamError {
  readonly code = 'store_unreachable'
}

describe('PostgreSQL', () => {
  it('is not available without an address, and says how to give one', async () => {
    await using waiting = doctorHarness()
    const opened: string[] = []
    const examination = postgres(async ({ url }) => {
      opened.push(url)
      return openMemoryStore()
    })
    expect(await waiting.examine(examination)).toEqual({
      verdict: 'not available',
      detail: 'no address given',
      remedy: 'Give one: deskmates doctor --store postgres://…',
    })
    expect(opened).toEqual([])
  })

  it('takes --store before the environment, and refuses what is not an address', async () => {
    const examination = postgres(() => openMemoryStore())
    await using files = doctorHarness({ ...given, call: { globals: { json: false, store: 'files' } } })
    expect(await files.examine(examination)).toMatchObject({ verdict: 'not available' })
    await using other = doctorHarness({ call: { globals: { json: false, store: 'mysql://x' } } })
    await expect(other.examine(examination)).rejects.toBeInstanceOf(Misused)
  })

  it('passes a store in which one of two handles wins each task, and leaves no team in it', async () => {
    await using waiting = doctorHarness(given)
    const place = createPlace()
    const addresses: string[] = []
    const examination = postgres(async ({ url, warn }) => {
      addresses.push(url)
      warn('It does not let us listen.')
      return openMemoryStore(place)
    })
    expect(await waiting.examine(examination)).toMatchObject({
      verdict: 'pass',
      detail: expect.stringMatching(
        /^10 tasks, each won by one.*; a notification came \d+ ms .*; It does not let us listen\./,
      ),
    })
    expect(addresses).toEqual([ADDRESS, ADDRESS])
    expect(await (await openMemoryStore(place)).teams()).toEqual([])
    expect(place.runtimes.size, 'both handles are closed; one was just opened').toBe(1)
  })

  it('fails when the two do not see the same team', async () => {
    await using waiting = doctorHarness(given)
    expect(await waiting.examine(postgres(() => openMemoryStore()))).toMatchObject({ verdict: 'fail' })
  })

  it('fails when the team cannot be removed', async () => {
    await using waiting = doctorHarness(given)
    const place = createPlace()
    const clinging = async (): Promise<Store> => ({ ...(await openMemoryStore(place)), remove: async () => {} })
    expect(await waiting.examine(postgres(clinging))).toMatchObject({
      verdict: 'fail',
      detail: expect.stringMatching(/^team doctor-\w+ was removed and is still there$/),
    })
  })

  it('fails when the server cannot be reached, with the reason and without the password', async () => {
    await using waiting = doctorHarness(given)
    const examination = postgres(() => Promise.reject(new Unreachable(`Cannot reach ${ADDRESS} with s@cret.`)))
    expect(await waiting.examine(examination)).toMatchObject({
      verdict: 'fail',
      detail: 'Cannot reach postgres://ada:***@db.example/teams with ***.',
      remedy: expect.stringContaining('psql'),
    })
  })
})
