/**
 * For authors of stores and for tests that run teams: contract suites, random command sequences and a manual clock. The
 * suites need vitest and fast-check and say so when one is missing; the clock needs neither.
 */

export type { OpenStore } from './contracts/read-all.ts'
export { type ManualClock, manualClock } from './manual-clock.ts'
export { commandSequences, storeContract, TestPackageMissing, teamContract } from './suites.ts'
