import { claimRate } from '../claim-rate.mjs'

export default {
  name: 'claims and completions, 8 processes of 4 members',
  against: 'bare O_APPEND + fdatasync, 8 processes',
  unit: 'per second',
  round: claimRate({ membersEach: 4 }),
}
