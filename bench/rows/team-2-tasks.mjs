import { measured } from '../team.mjs'

export default {
  name: '40-task graph with 8 workers, durable',
  against: 'the ideal schedule',
  unit: 'ms',
  atMost: 1.08,
  rounds: 2,
  round: () => measured('team-tasks', [8, 5, 4]),
}
