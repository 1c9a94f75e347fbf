import { isRefusal } from '../../dist/index.js'
import { median, place, using } from '../place.mjs'

const CLAIMS = 200

/** Claims and releases on a board where everything else stays pending: the board keeps its size. */
const claims = (tasks) =>
  place({ members: ['ada'], tasks }, (dir) =>
    using(dir, async (team) => {
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
    }),
  )

export default {
  name: 'claim on a board of 10,000 tasks',
  against: 'on a board of 10',
  unit: 'ms',
  atMost: 5,
  async round() {
    return { limit: await claims(10), ours: await claims(10_000) }
  },
}
