import { openClaimRate } from '../claim-rate.mjs'

export default {
  name: 'claims and completions, 8 processes of 1 member',
  against: 'bare O_APPEND + fdatasync, 8 processes',
  unit: 'per second',
  rounds: 5,
  atLeast: 0.4,
  open: () => openClaimRate({ membersEach: 1 }),
}
