import { opening } from '../opening.mjs'

export default {
  name: 'process that opens 100,000 events, with snapshot',
  against: 'bare node',
  unit: 'ms',
  atMost: 3,
  rounds: 1,
  round: () => opening(true, 9),
}
