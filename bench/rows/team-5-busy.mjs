import { measured } from '../team.mjs'

export default {
  name: 'send → in a busy teammate’s request (the slowest of 100)',
  against: 'its very next one',
  unit: 'requests',
  atMost: 1,
  rounds: 1,
  round: () => measured('team-busy', [100]),
}
