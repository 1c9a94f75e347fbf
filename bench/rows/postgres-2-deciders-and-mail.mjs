import { openDecisionRate } from '../decision-rate.mjs'

export default {
  name: 'the same under 8 processes that send mail',
  against: 'single-row synced inserts, 8 processes',
  unit: 'per second',
  atLeast: 0.1,
  rounds: 5,
  open: () => openDecisionRate({ tasks: 600, mailers: 8 }),
}
