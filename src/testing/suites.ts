import type { commandSequences as CommandSequences } from './contracts/command-sequences.ts'
import type { storeContract as StoreContract } from './contracts/store-contract.ts'
import type { teamContract as TeamContract } from './contracts/team-contract.ts'

/** Thrown by a suite whose test packages cannot be loaded; `cause` is what the import said. */
export class TestPackageMissing extends Error {
  override readonly name = 'TestPackageMissing'
  readonly code = 'test_package_missing'

  constructor(suite: string, packages: readonly string[], cause: unknown) {
    super(
      `${suite} of deskmates/testing cannot run: ${packages.join(' and ')} cannot be loaded from this project. ` +
        'Run `npm install -D vitest@4 fast-check@4` and start the tests again with `npx vitest run`.',
      { cause },
    )
  }
}

// Suites register their tests synchronously, so the packages are loaded with this module and not at the first call.
const suites = await loadSuites()

/**
 * What every store promises, always with two handles on the same data, because that is where stores fail. An adapter's
 * test is `storeContract('files', async () => { const dir = …; return () => openFileStore({ dir }) })`.
 */
export const storeContract: typeof StoreContract = (...args) => suite('storeContract')(...args)

/**
 * What a team promises on every store, always with two handles on the same data. An adapter's test is
 * `teamContract('files', async () => { const dir = …; return () => openFileStore({ dir }) })`.
 */
export const teamContract: typeof TeamContract = (...args) => suite('teamContract')(...args)

/**
 * Random commands by several actors over two handles of one team, each compared with a plain model: same outcome, same
 * board, same unread mail, and no broken invariant. A failure prints its seed and the shortest sequence that shows it.
 */
export const commandSequences: typeof CommandSequences = (...args) => suite('commandSequences')(...args)

async function loadSuites() {
  try {
    const [sequences, store, team] = await Promise.all([
      import('./contracts/command-sequences.ts'),
      import('./contracts/store-contract.ts'),
      import('./contracts/team-contract.ts'),
    ])
    return { loaded: { ...sequences, ...store, ...team } }
  } catch (cause) {
    const missing = await packagesThatFail()
    // Only a missing package is expected here; anything else is a mistake of ours and is shown as it is.
    if (missing.length === 0) throw cause
    return { missing, cause }
  }
}

async function packagesThatFail(): Promise<string[]> {
  const loads = { vitest: () => import('vitest'), 'fast-check': () => import('fast-check') }
  const failed = await Promise.all(
    Object.entries(loads).map(([name, load]) =>
      load().then(
        () => [],
        () => [name],
      ),
    ),
  )
  return failed.flat()
}

function suite<Name extends 'storeContract' | 'teamContract' | 'commandSequences'>(name: Name) {
  if (suites.loaded === undefined) throw new TestPackageMissing(name, suites.missing, suites.cause)
  return suites.loaded[name]
}
