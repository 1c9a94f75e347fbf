import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runChild } from './child.mjs'
import { report } from './failure.mjs'
import { prepare } from './prepare.mjs'

/**
 * Type check, lint, build, tests, and as the last line of stdout their counts. Returns the exit code.
 * A check that fails ends the run before the tests and counts as one failure.
 */
export async function test(root, args, env = {}) {
  let counts = { passed: 0, failed: 1, skipped: 0 }
  let exitCode = 1
  try {
    await prepare(root, { modules: true })
    const failed = (await Promise.all([types(root), lint(root), builds(root)])).filter((ok) => !ok).length
    counts = failed > 0 ? { passed: 0, failed, skipped: 0 } : await vitest(root, args, { ...process.env, ...env })
    exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0
  } catch (error) {
    exitCode = report(error, root)
  }
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
  return exitCode
}

const types = (root) => check(root, 'type check', ['tsc', '--noEmit'])
const lint = (root) => check(root, 'lint', ['biome', 'check', '.'])

async function builds(root) {
  try {
    await prepare(root, { modules: true, dist: 'types', workers: true })
    return true
  } catch (error) {
    // The type check names a mistake in a source too: both are shown before the run ends.
    report(error, root)
    return false
  }
}

async function check(root, name, [program, ...args]) {
  const path = join(root, 'node_modules', '.bin', program)
  const { code, output } = await timed(name, () =>
    runChild(process.execPath, [path, ...args], { cwd: root, output: 'kept' }),
  )
  if (code !== 0) process.stdout.write(`${output}\n${name} failed\n`)
  return code === 0
}

async function vitest(root, args, env) {
  const folder = mkdtempSync(join(tmpdir(), 'deskmates-report-'))
  const file = join(folder, 'report.json')
  try {
    const program = join(root, 'node_modules', '.bin', 'vitest')
    const skipped = fileURLToPath(new URL('./skipped.mjs', import.meta.url))
    const reporters = ['default', skipped, 'json'].map((name) => `--reporter=${name}`)
    const { code } = await timed('tests', () =>
      runChild(process.execPath, [program, 'run', ...reporters, `--outputFile.json=${file}`, ...args], {
        cwd: root,
        env,
        output: 'shown',
      }),
    )
    // Without a report not even one test was found.
    return existsSync(file) ? count(JSON.parse(readFileSync(file, 'utf8')), code) : { passed: 0, failed: 1, skipped: 0 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A file that could not be loaded, or an error outside any test, has no failed test of its own and counts as one. */
function count(result, code) {
  const broken = result.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((one) => one.status === 'failed'),
  )
  const failed = result.numFailedTests + broken.length
  return {
    passed: result.numPassedTests,
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped: result.numPendingTests + result.numTodoTests,
  }
}

async function timed(name, work) {
  const began = performance.now()
  const result = await work()
  console.error(`deskmates: ${name} took ${((performance.now() - began) / 1000).toFixed(1)} s`)
  return result
}
