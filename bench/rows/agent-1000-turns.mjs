import { cpuPerTurn } from '../agent.mjs'

export default {
  name: 'CPU of a tool turn (1,000 turns), durable',
  against: 'bare undici + JSON',
  unit: 'ms',
  atMost: 3,
  rounds: 2,
  round: () => cpuPerTurn(1000, 3),
}
