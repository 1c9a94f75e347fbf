/**
 * For authors of stores and for tests that run teams: contract suites, random command sequences and a manual clock. The
 * suites need vitest and fast-check and say so when one is missing; the clock needs neither.
 */
export { type ManualClock, manualClock } from './manual-clock.ts'
export type { OpenStore } from './read-all.ts'
export { commandSequences, storeContract, TestPackageMissing, teamContract } from './suites.ts'
