/**
 * Names one deliberate bug in a test-only build, `undefined` (and cut out of the bundle) everywhere else.
 * `test/bites.test.ts` switches each on and expects the suite to turn red.
 */
declare const __BUG__: string | undefined
