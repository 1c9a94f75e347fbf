import boardScale from './board-scale.mjs'
import makespanRows from './makespan-rows.mjs'
import { idleTeam, measure } from './session.mjs'

const SYNCED_REQUEST = 'synced append + bare request'
const KB = 1024

export default [
  ...makespanRows,
  ...boardScale,
  {
    id: 'team-resume',
    name: 'resume of a resting team of 8: model requests',
    unit: 'requests',
    atMost: 0,
    rounds: 1,
    round: () => measure('resume'),
  },
  {
    id: 'team-wake-same-process',
    name: 'send from the same process → in an idle teammate’s request',
    against: SYNCED_REQUEST,
    unit: 'ms',
    atMost: 3,
    rounds: 2,
    round: () => measure('wake-up', ['same-process', 60]),
  },
  {
    id: 'team-wake-other-process',
    name: 'send from another process → in an idle teammate’s request',
    against: SYNCED_REQUEST,
    unit: 'ms',
    atMost: 6,
    rounds: 2,
    round: () => measure('wake-up', ['other-process', 60]),
  },
  {
    id: 'team-busy',
    name: 'send → in a busy teammate’s request (the slowest of 100)',
    against: 'its very next one',
    unit: 'requests',
    atMost: 1,
    rounds: 1,
    round: () => measure('busy-teammate', [100]),
  },
  {
    id: 'team-cached-share',
    name: 'bytes that a cache serves, 4 teammates × 50 turns with mail, Anthropic',
    against: 'all bytes sent',
    unit: 'bytes',
    // Of 50 turns the first is new, and each of the others adds some.
    atLeast: 0.95,
    rounds: 1,
    round: () => measure('cached-share', [4, 50]),
  },
  {
    id: 'team-woken-cpu',
    name: 'CPU of a turn when each of 1,000 teammates wakes for a message',
    against: 'when each of 100 does',
    unit: 'ms CPU',
    atMost: 1.3,
    rounds: 1,
    async round() {
      // The first team warms up the code.
      const { cpuPerTurn } = await measure('woken-teammates', [100, 100, 1000])
      return { ours: cpuPerTurn[1000], limit: cpuPerTurn[100] }
    },
  },
  {
    id: 'team-idle-heap',
    name: 'heap of an idle teammate (1,000 of them)',
    against: 'a kilobyte',
    unit: 'bytes',
    atMost: 20,
    rounds: 1,
    async round() {
      const { heapEach, calls } = await idleTeam()
      if (calls > 0) throw new Error(`a day without work cost ${calls} calls of the model`)
      return { ours: heapEach, limit: KB }
    },
  },
  {
    id: 'team-idle-reads',
    name: 'store reads of 1,000 idle teammates',
    against: '10 of them',
    unit: 'per minute',
    // One read more or less falls into the measured time; a read for each teammate would be 100 times as many.
    atMost: 1.5,
    rounds: 1,
    async round() {
      const { readsOfTen, readsOfThousand } = await idleTeam()
      return { ours: readsOfThousand, limit: readsOfTen }
    },
  },
]
