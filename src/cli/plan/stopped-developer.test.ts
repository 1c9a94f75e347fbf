import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { header, task, writeLines } from '../../../test/cli/plan-files.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

const DEVELOPER = JSON.stringify(new URL('../../../test/cli/plan-developer.mjs', import.meta.url).href)
/** The first developer is silent the first time it is asked. */
const SILENT_ONCE = `import { develop } from ${DEVELOPER}
let isFirst = true
export default { parts: [{ times: 'always', compose: ({ turns }, signal) => {
  if (!isFirst) return develop(turns)
  isFirst = false
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
} }] }`

it('the summary names the task that a developer held when it was stopped at its deadline', async () => {
  writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01'), task('T1'))
  const script = join(cli.dir, '..', 'silent-once.mjs')
  writeFileSync(script, SILENT_ONCE)
  const env = { ...cli.env, CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1' }
  const more = ['--mode', 'teammate', '--permission-mode', 'acceptEdits', '--sandbox', 'off']
  const running = cli.run(['plan', 'run', 'p', ...more, '-m', `scripted:${script}`], { env })
  const working = async () => (await cli.json('status phase-03')).members.map(({ status }: Member) => status)
  await vi.waitFor(async () => expect(await working()).toContain('working'), 30_000)
  await cli.ok(['send', 'dev-1', 'Stop.', '--type', 'shutdown_request', '--team', 'phase-03'])
  cli.clock.advance(31)
  const { code, stderr } = await running
  expect([code, stderr]).toEqual([0, expect.stringContaining('[SHUTDOWN] Timeout: dev-1 did not respond within 30s.')])
  expect(cli.read('src/T1.ts')).toBe('03-01/T1\n')
  expect(JSON.parse(cli.read('p/03-01.summary.jsonl'))).toMatchObject({
    s: 'complete',
    dv: [expect.stringContaining('was stopped while it held the task (Do T1)')],
  })
}) // C18, C21, C22

interface Member {
  readonly status: string
}
