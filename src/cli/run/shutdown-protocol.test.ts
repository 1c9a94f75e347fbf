import { execFileSync } from 'node:child_process'
import fs, { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => {
  vi.restoreAllMocks()
  cli.close()
})

const NAMES = ['ada', 'bob', 'cy', 'dan', 'eve', 'fay']
const STORY = `scripted:${fileURLToPath(new URL('../../../test/cli/stopping-teammates.mjs', import.meta.url))}`

type Asked = { to: string; state: string; content: string; deadline: number; openedAt: number }

it('ends although teammates are silent, refuse, or cannot be asked, and says what each left', async ({ skip }) => {
  execFileSync('git', ['init', '-q'], { cwd: cli.dir })
  writeFileSync(join(cli.dir, 'draft.txt'), 'not committed')
  const write = fs.writeSync
  vi.spyOn(fs, 'writeSync').mockImplementation(((fd: number, bytes: Uint8Array, ...more: never[]) => {
    if (/request\.opened.*"to":"fay"/.test(String(bytes)))
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    return write(fd, bytes, ...more)
  }) as typeof fs.writeSync)
  const env = { ...cli.env, PATH: process.env.PATH }
  const words = ['-p', 'Go', '--output-format', 'stream-json', '--verbose', '--permission-mode', 'acceptEdits']
  const running = cli.run([...words, '--sandbox', 'auto', '-m', STORY], { env })
  const stillThere = async () =>
    ((await cli.json('team show web')) as { members: { name: string; status: string }[] }).members
      .filter(({ status }) => status !== 'stopped')
      .map(({ name }) => name)
  await vi.waitFor(async () => expect(await stillThere()).toEqual(['lead', 'bob', 'dan', 'fay']), 30_000)
  const asked = (await cli.json('requests --all --team web')) as Asked[]
  expect(asked.map(({ to, deadline, openedAt }) => [to, deadline - openedAt])).toEqual(
    ['ada', 'bob', 'cy', 'dan', 'eve'].map((name) => [name, 30]),
  )
  cli.clock.advance(31)
  const { code, stdout, stderr } = await running
  if (/without a sandbox/.test(stderr)) skip('bubblewrap does not work here')
  const logged = stderr.split('\n').filter((line) => line.startsWith('[SHUTDOWN]'))
  expect(logged).toEqual([
    expect.stringMatching(/^\[SHUTDOWN\] fay was not asked: .*ENOSPC/),
    '[SHUTDOWN] Protocol failed, force-proceeding with cleanup.',
    '[SHUTDOWN] Timeout: dan did not respond within 30s.',
  ])
  for (const line of logged) expect(stdout).toContain(line)
  const deleted = stdout.split('\n').find((line) => line.includes("Team 'web' deleted"))!
  const [{ content }] = JSON.parse(deleted).message.content as [{ content: string }]
  const report = content.split('\n').filter((line) => line.startsWith('- '))
  expect(report.slice(0, 6)).toEqual([
    '- ada: shut down (clean, uncommitted files: 1)',
    '- bob: stopped: rejected',
    '- cy: shut down (in_progress, pending work: the docs, uncommitted files: 1)',
    '- dan: stopped: timed out',
    '- eve: shut down (error, the build is broken, uncommitted files: 1)',
    '- fay: stopped, could not be asked',
  ])
  const held = NAMES.map((name) => [name, ['bob', 'dan', 'fay'].includes(name) ? 'was stopped' : 'stopped'])
  expect(report.slice(6).sort()).toEqual(
    [
      ...held.map(([name, how]) => `- left undone by ${name}: ${how} while it held the task (part of ${name})`),
      '- left undone by ada: said that all is committed, but 1 changed file is not',
      '- left undone by cy: the docs',
      '- left undone by eve: stopped with an error: the build is broken',
      '- left undone by lead: 1 changed file was not committed when the team was ended by force',
    ].sort(),
  )
  expect(content.match(/Not yet\./g), 'bob is asked again three times').toHaveLength(4)
  expect(readdirSync(cli.dir).sort(), 'none began anything new').toEqual(['.git', '.tasks', '.teams', 'draft.txt'])
  expect(code).toBe(0)
}) // C19, C20, C21, C22, C23, C25
