import { openClaimRate } from '../claim-rate.mjs'

export default {
  name: 'the same with 5 messages per claim',
  against: 'bare O_APPEND + fdatasync, 8 processes',
  unit: 'per second',
  open: () => openClaimRate({ membersEach: 4, mails: 5 }),
}
