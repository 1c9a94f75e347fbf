import { openClaimRate } from '../claim-rate.mjs'

export default {
  name: 'claims and completions, 8 processes of 4 members',
  against: 'bare O_APPEND + fdatasync, 8 processes',
  unit: 'per second',
  open: () => openClaimRate({ membersEach: 4 }),
}
