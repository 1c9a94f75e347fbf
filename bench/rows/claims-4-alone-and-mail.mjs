import { openClaimRate } from '../claim-rate.mjs'

export default {
  name: 'the same with 5 messages per claim, 1 member each',
  against: 'bare O_APPEND + fdatasync, 8 processes',
  unit: 'per second',
  rounds: 5,
  atLeast: 0.25,
  open: () => openClaimRate({ membersEach: 1, mails: 5 }),
}
