import { claimRate } from '../claim-rate.mjs'

export default {
  name: '8 processes: claims and completions',
  against: 'bare O_APPEND + fdatasync, 8 processes',
  unit: 'per second',
  atLeast: 0.4,
  round: claimRate(0),
}
