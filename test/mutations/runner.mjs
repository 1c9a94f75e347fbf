// Runs one mutation after the other in one vitest, so that starting it and transforming the sources is paid for once.
// Started by ./mutation-runners.ts, which sends { test, fails, edited } and waits for { status, output }.
import { join } from 'node:path'
import { createVitest } from 'vitest/node'

const root = process.cwd()
/** The mutated sources of the current run by their paths, and those of them that were loaded. */
let sources = new Map()
const loaded = new Set()

// Asked by the plugin in vitest.config.ts.
globalThis.mutatedSource = (path) => {
  if (sources.has(path)) loaded.add(path)
  return sources.get(path)
}

// Isolated, because a process that has loaded a mutated source must not run another mutation.
const options = {
  watch: false,
  maxWorkers: 1,
  isolate: true,
  testTimeout: 30_000,
  reporters: [{}],
  passWithNoTests: true,
}
const vitest = await createVitest('test', options)
await vitest.standalone()

process.on('message', async (mutation) => process.send(await run(mutation)))
process.on('disconnect', () => vitest.close().finally(() => process.exit()))

async function run({ test, fails, edited }) {
  const result = await runWith(edited, test, fails)
  if (result.status !== 'skipped') return result
  // Skipped without the mistake too: this machine lacks what the test needs. Else the mistake itself has it skipped.
  const unchanged = await runWith({}, test, fails)
  return unchanged.status === 'skipped' ? unchanged : { status: 'test not found', output: result.output }
}

async function runWith(edited, test, fails) {
  sources = new Map(Object.entries(edited).map(([file, text]) => [join(root, file), text]))
  loaded.clear()
  const paths = [...sources.keys()]
  for (const path of paths) vitest.invalidateFile(path)
  try {
    vitest.setGlobalTestNamePattern(new RegExp(fails.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    const specifications = await vitest.globTestSpecifications([test])
    const { testModules: known, unhandledErrors } = await vitest.runTestSpecifications(specifications)
    // It returns the results of earlier mutations too.
    const testModules = known.filter(({ moduleId }) => specifications.some((one) => one.moduleId === moduleId))
    const named = testModules
      .flatMap((module) => [...module.children.allTests()])
      .filter((one) => one.name.startsWith(fails))
    const tests = named.filter((one) => one.result().state !== 'skipped')
    const errors = [...testModules.flatMap((module) => module.errors()), ...unhandledErrors]
    errors.push(...tests.flatMap((one) => one.result().errors ?? []))
    const output = errors.map(inWords).join('\n')
    // A test that the name pattern leaves out is skipped without a reason.
    const reasons = named.flatMap((one) => one.result().note ?? [])
    if (tests.length === 0 && errors.length === 0 && reasons.length > 0)
      return { status: 'skipped', output: reasons[0] }
    // The new text names something that the source no longer has: the test is red for another reason than the mistake.
    if (errors.some(({ name }) => name === 'ReferenceError')) return { status: 'outdated', output }
    if (!paths.every((path) => loaded.has(path))) return { status: 'source not loaded', output }
    if (tests.length === 0) return { status: 'test not found', output }
    return { status: tests.some((one) => one.result().state === 'failed') ? 'failed' : 'passed', output }
  } catch (error) {
    return { status: 'broken run', output: inWords(error) }
  } finally {
    sources = new Map()
    for (const path of paths) vitest.invalidateFile(path)
  }
}

function inWords(error) {
  return error?.stack ?? error?.message ?? String(error)
}
