import { beforeAll, describe, it } from 'vitest'
import { claimStorm } from './claim-storm.ts'
import { buildWorkers } from './fleet.ts'
import { figure, makePlace } from './place.ts'

const figures = {
  tasks: figure('CLAIM_TASKS', 3000, 12_000),
  pause: figure('CLAIM_KILL_EVERY', 250, 200),
  disturbances: figure('CLAIM_KILLS', 120, 2000),
}

describe('claims in a storm', () => {
  beforeAll(buildWorkers)

  it('gives each task one owner at a time while scripts, agents and the supervisor are killed', {
    timeout: 300_000,
  }, async () => {
    using place = makePlace()
    await claimStorm(place, figures)
  }) // A45, A78, A79, A80, B58, B62, B63, B66, C43, C44, F7, F21, F22, F24, F25, F33
})
