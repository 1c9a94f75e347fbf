import { idleTeam } from '../team.mjs'

export default {
  name: 'store reads of 1,000 idle teammates',
  against: '10 of them',
  unit: 'per minute',
  // One look more or less falls into the time that is measured; a read for each of them would be 100 times as many.
  atMost: 1.5,
  rounds: 1,
  async round() {
    const { readsOfHandful, readsOfMany } = await idleTeam()
    return { ours: readsOfMany, limit: readsOfHandful }
  },
}
