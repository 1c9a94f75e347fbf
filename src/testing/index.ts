/** For whoever writes a store or runs a team in tests: contracts, sequences and a clock that obeys. Needs vitest. */
export { commandSequences } from './command-sequences.ts'
export { type ManualClock, manualClock } from './manual-clock.ts'
export type { OpenStore } from './read-all.ts'
export { storeContract } from './store-contract.ts'
export { teamContract } from './team-contract.ts'
