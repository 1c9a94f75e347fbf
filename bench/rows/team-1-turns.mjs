import { measured } from '../team.mjs'

export default {
  name: '8 teammates × 20 turns of 50 ms, durable',
  against: 'the ideal schedule',
  unit: 'ms',
  atMost: 1.08,
  rounds: 2,
  round: () => measured('team-turns', [8, 20, 4]),
}
