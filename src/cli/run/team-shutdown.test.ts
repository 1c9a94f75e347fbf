import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'

let cli: CommandHarness
beforeEach(async () => {
  cli = await commandHarness()
})
afterEach(() => cli.close())

function program(text: string): string {
  const path = join(cli.dir, 'script.mjs')
  writeFileSync(path, text)
  return `scripted:${path}`
}

/** Ada and bob hold a task each. Those that answer look around until they are asked to stop; the other does not answer any more. */
const story = (answering: readonly string[]) => `
const call = (tool, input) => ({ tool, input })
const asked = ({ turns }) => /request_id=\\\\?"(r\\d+)/.exec(JSON.stringify(turns.at(-1)))?.[1]
const left = { status: 'in_progress', pending_work: ['the docs'], artifacts_committed: true }
export default {
  parts: [
    { agent: 'lead', when: { user: 'Go' }, calls: [
      call('TaskCreate', { subject: 'dig', description: '' }), call('TaskCreate', { subject: 'fill', description: '' }),
      call('Task', { name: 'ada', prompt: 'Dig.', task_id: '1' }), call('Task', { name: 'bob', prompt: 'Fill.', task_id: '2' }),
    ] },
    { agent: 'lead', times: 'always', text: 'I see.' },
    { agent: ${JSON.stringify(answering)}, times: 'always', compose: async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      const request_id = asked(request)
      const answer = { type: 'shutdown_response', to: 'lead', request_id, approve: true, ...left }
      return { calls: [request_id ? call('SendMessage', answer) : call('TaskList', {})] }
    } },
    { agent: ['ada', 'bob'], times: 'always', compose: (_, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))) },
  ],
}`

type Status = { members: { name: string; status: string }[]; deviations: { text: string }[] }

it('reports how every teammate was stopped: what it left, and who did not answer', async () => {
  await cli.ok('team create web')
  const running = cli.run([
    '-p',
    'Go',
    '-m',
    program(story(['ada'])),
    '--team',
    'web',
    '--output-format',
    'stream-json',
  ])
  const status = async () => (await cli.json(['status', 'web'])) as Status
  const stateOf = async (name: string) => (await status()).members.find((member) => member.name === name)?.status
  await vi.waitFor(
    async () => expect([await stateOf('ada'), await stateOf('bob')]).toEqual(['working', 'working']),
    30_000,
  )
  for (const name of ['ada', 'bob'])
    await cli.ok(['send', name, 'The phase is complete.', '--type', 'shutdown_request', '--team', 'web'])
  const asked = (await cli.json(['requests', '--all', '--team', 'web'])) as { deadline: number; openedAt: number }[]
  expect(asked.map(({ deadline, openedAt }) => deadline - openedAt)).toEqual([30, 30])
  await vi.waitFor(async () => expect(await stateOf('ada'), 'it has stopped').toBeUndefined(), 30_000)
  cli.clock.advance(31)
  const { code, stdout } = await running
  expect(stdout).toContain('[SHUTDOWN] Timeout: bob did not respond within 30s.')
  expect(code, 'two tasks are left').toBe(4)
  const { members, deviations } = await status()
  expect(members.map(({ name }) => name)).toEqual(['lead'])
  expect(deviations.map(({ text }) => text)).toEqual([
    'the docs',
    'stopped while it held the task (dig)',
    'was stopped while it held the task (fill)',
  ])
}) // C19, C20, C21, C22

it('asks teammates with user_abort and the name of their team when the user deletes it', async () => {
  const model = program(story(['ada', 'bob']))
  await cli.ok('team create web')
  const running = cli.run(['-p', 'Go', '-m', model, '--team', 'web'])
  const working = async () =>
    ((await cli.json(['status', 'web'])) as Status).members.filter(({ status }) => status === 'working')
  await vi.waitFor(async () => expect((await working()).length).toBeGreaterThan(1), 30_000)
  expect(await cli.json('team delete web')).toMatchObject({ stopped: ['ada', 'bob'], openTasks: ['1', '2'] })
  const { code, stderr } = await running
  // Two tasks are left; a lead that is still in a turn when its team is deleted ends with an error about that instead.
  const why = expect.stringMatching(/The team was deleted while it worked|journal.jsonl was .* moved or deleted/)
  if (code !== 4) expect([code, stderr]).toEqual([1, why])
  const [away = ''] = readdirSync(join(cli.dir, '.teams/.deleted'))
  const asked = cli
    .read('.teams/.deleted', away, 'team', 'journal.jsonl')
    .matchAll(/"to":"(\w+)","content":"(user_abort: .*?)"/g)
  expect(new Set([...asked].map(([, to, content]) => `${to}: ${content}`))).toEqual(
    new Set(
      ['ada', 'bob'].map(
        (name) => `${name}: user_abort: the user deletes team web. Please stop; say what you leave unfinished.`,
      ),
    ),
  )
}) // C25

it('keeps a lead from starting teammates while the circuit breaker is open', async () => {
  const failing =
    "{ agent: ['ada', 'bob', 'eve'], times: 'always', error: { fault: 'key', message: 'the key is wrong' } }"
  const spawn = (name: string) => `{ tool: 'Task', input: { name: '${name}', prompt: 'Help.' } }`
  const model = program(`export default { parts: [
    { agent: 'lead', when: { user: 'Go' }, calls: [${spawn('ada')}, ${spawn('bob')}] },
    { agent: 'lead', when: { user: /bob was lost/ }, calls: [${spawn('eve')}] },
    { agent: 'lead', times: 'always', text: 'I see.' },
    ${failing},
  ] }`)
  await cli.ok('team create web')
  const { stdout } = await cli.run([
    '-p',
    'Go',
    '-m',
    model,
    '--team',
    'web',
    '--output-format',
    'stream-json',
    '--verbose',
  ])
  expect(stdout).toContain('circuit breaker is open')
  const log = (await cli.run(['log', '--all', '--team', 'web'])).stdout
  expect(log).not.toContain('eve')
}) // C62
