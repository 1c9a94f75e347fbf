import { openDecisionRate } from '../decision-rate.mjs'

export default {
  name: 'PostgreSQL: claims and completions, 8 processes',
  against: 'single-row synced inserts, 8 processes',
  unit: 'per second',
  atLeast: 0.2,
  rounds: 5,
  open: () => openDecisionRate({ tasks: 1600 }),
}
