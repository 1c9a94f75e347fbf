import { beforeAll, describe, it } from 'vitest'
import { useDatabase } from '../postgres/database.ts'
import { claimStorm } from './claim-storm.ts'
import { crowdStorm } from './crowd-storm.ts'
import { buildWorkers } from './fleet.ts'
import { mailStorm } from './mail-storm.ts'
import { figure } from './place.ts'
import { makePostgresPlace } from './postgres-place.ts'

const claims = {
  tasks: figure('POSTGRES_CLAIM_TASKS', 400, 6000),
  pause: figure('POSTGRES_CLAIM_KILL_EVERY', 150, 200),
  disturbances: figure('POSTGRES_CLAIM_KILLS', 30, 1000),
}
const SECONDS = figure('POSTGRES_MAIL_SECONDS', 4, 60)
const DECISIONS = figure('POSTGRES_DECISIONS', 12, 500)

const database = useDatabase({ track_functions: 'pl' })

describe('on PostgreSQL', () => {
  beforeAll(buildWorkers)

  it('each task has one owner at a time while scripts with leases, agents and their supervisor are killed', {
    timeout: 300_000,
  }, async () => {
    using place = makePostgresPlace(database)
    await claimStorm(place, claims)
  }) // A45, A78, A79, A80, B58, B62, B63, B66, C43, C44, F7, F21, F22, F24, F25, F33

  it('no mail is lost and each message has one reader while writers and takers are killed', {
    timeout: 300_000,
  }, async () => {
    using place = makePostgresPlace(database)
    await mailStorm(place, SECONDS)
  }) // A69, A70, B58, F1, F2, F9, F22, F34

  it('no decision needs more than ten tries, and mail is never sent again', {
    timeout: 300_000,
  }, async () => {
    using place = makePostgresPlace(database)
    await crowdStorm(place, database, DECISIONS)
  }) // A79, F7, F22
})
