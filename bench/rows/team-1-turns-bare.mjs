import { measured } from '../team.mjs'

/** How much of a makespan is the machine's: the same turns without files, teams or provider packages. */
export default {
  name: '8 × 20 turns of 50 ms by bare loops, which keep nothing',
  against: 'the ideal schedule',
  unit: 'ms',
  rounds: 2,
  round: () => measured('team-bare', [8, 20, 4]),
}
