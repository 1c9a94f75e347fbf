import { cpuPerTurn } from '../agent.mjs'

export default {
  name: 'CPU of a tool turn (50 turns), durable',
  against: 'bare undici + JSON',
  unit: 'ms',
  atMost: 3,
  rounds: 2,
  round: () => cpuPerTurn(50, 200),
}
