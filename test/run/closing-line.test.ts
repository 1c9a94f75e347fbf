import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { makeCheckout } from './checkout.ts'

interface Report {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: { status: string; assertionResults: { status: string }[] }[]
}

const good: Report = { numPassedTests: 3, numFailedTests: 0, numPendingTests: 1, numTodoTests: 1, testResults: [] }

async function closing(report: Report | undefined, env: Record<string, string> = {}, command = ['test', 'src/team']) {
  using checkout = makeCheckout()
  const FAKE_REPORT = report === undefined ? '' : JSON.stringify(report)
  const { code, stdout, stderr } = await checkout.run(command, { env: { FAKE_REPORT, ...env } })
  return { code, line: stdout.trimEnd().split('\n').at(-1), stdout, stderr }
}

it.concurrent('counts what the report says, and tells how long each step took', async () => {
  const { code, line, stdout, stderr } = await closing(good)
  expect({ code, line }).toEqual({ code: 0, line: '3 passed, 0 failed, 2 skipped' })
  expect(stdout).toContain('vitest run src/team soak=undefined')
  for (const step of ['node_modules', 'dist', 'type check', 'lint', 'tests'])
    expect(stderr).toContain(`deskmates: ${step} `)
})

it.concurrent('runs only what can go on for long, and for long, in a soak', async () => {
  const { stdout } = await closing(good, {}, ['soak'])
  const folders = /vitest run (.*) soak=1/.exec(stdout)?.[1]?.split(' ') ?? []
  const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  const long = files.filter((file) => /\bfigure\(/.test(readFileSync(join(root, 'test', file), 'utf8')))
  expect(long.length).toBeGreaterThan(5)
  expect(long.filter((file) => !folders.some((folder) => `test/${file}`.startsWith(`${folder}/`)))).toEqual([])
})

it.concurrent('counts a test file that could not be loaded as a failure', async () => {
  const report = { ...good, testResults: [{ status: 'failed', assertionResults: [] }] }
  expect(await closing(report, { FAKE_VITEST: '1' })).toMatchObject({ code: 1, line: '3 passed, 1 failed, 2 skipped' })
})

it.concurrent('counts an error outside of any test as a failure', async () => {
  expect(await closing(good, { FAKE_VITEST: '1' })).toMatchObject({ code: 1, line: '3 passed, 1 failed, 2 skipped' })
})

it.concurrent('fails when no test ran', async () => {
  expect(await closing(undefined, { FAKE_VITEST: '1' })).toMatchObject({
    code: 1,
    line: '0 passed, 1 failed, 0 skipped',
  })
})

it.concurrent('stops before the tests when a check fails, and shows what it said', async () => {
  const { code, line, stdout } = await closing(good, { FAKE_BIOME: '1', FAKE_TSC: '2' })
  expect({ code, line }).toEqual({ code: 1, line: '0 passed, 2 failed, 0 skipped' })
  expect(stdout).toContain('biome has spoken')
  expect(stdout).not.toContain('vitest')
})

it.concurrent('closes with its line even when the build fails', async () => {
  expect(await closing(good, { FAKE_TSDOWN: 'fail' })).toMatchObject({ code: 1, line: '0 passed, 1 failed, 0 skipped' })
})
