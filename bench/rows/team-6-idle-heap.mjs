import { idleTeam } from '../team.mjs'

const KB = 1024

export default {
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
}
