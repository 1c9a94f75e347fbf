import { beforeAll, describe, it } from 'vitest'
import { buildWorkers } from './fleet.ts'
import { mailStorm } from './mail-storm.ts'
import { figure, makePlace } from './place.ts'

const SECONDS = figure('MAIL_SECONDS', 10, 60)

describe('mail in a storm', () => {
  beforeAll(buildWorkers)

  it('loses nothing and has one reader per message while writers and takers are killed', {
    timeout: 300_000,
  }, async () => {
    using place = makePlace()
    await mailStorm(place, SECONDS)
  }) // A69, A70, B58, F1, F2, F9, F22, F34, B17
})
