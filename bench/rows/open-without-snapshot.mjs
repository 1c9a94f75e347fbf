import { opening } from '../opening.mjs'

export default {
  name: 'the same without snapshot',
  against: 'bare node',
  unit: 'ms',
  rounds: 1,
  round: () => opening(false, 3),
}
