import { isRefusal } from '../../dist/index.js'
import { median } from '../verdict.mjs'
import { openTeamIn, withTeam } from './temporary-team.mjs'

const CLAIMS = 200

/** Median milliseconds of a claim on a board of so many tasks. */
export function claimTime(tasks) {
  return withTeam({ members: ['ada'], tasks }, (dir) => openTeamIn(dir, timeClaims))
}

/** Median milliseconds of a claim by the member ada. Each claim is released again, so that the board keeps its size. */
export async function timeClaims(team) {
  const as = { by: { name: 'ada' } }
  const times = []
  for (let i = 0; i < CLAIMS; i++) {
    const begin = performance.now()
    const answer = await team.run({ type: 'task.claim' }, as)
    times.push(performance.now() - begin)
    if (isRefusal(answer)) throw new Error(answer.message)
    await team.run({ type: 'task.release', id: answer.tasks[0].id }, as)
  }
  return median(times)
}
