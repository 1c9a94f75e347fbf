import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { openTeam } from '../../journal/team-handle.ts'
import { type Compose, neverAnswers } from '../../testing/harnesses/composed-model.ts'
import { openWorkspace } from '../../workspace.ts'

const STEERED = `scripted:${fileURLToPath(new URL('../../../test/cli/steered-agents.mjs', import.meta.url))}`
const START = 1_800_000_000

let cli: CommandHarness
/** How each agent answers from now on, and how often each was asked. */
let agents: Record<string, Compose>
let requests: Record<string, number>
beforeEach(async () => {
  cli = commandHarness()
  agents = {}
  requests = {}
  const steer: Compose = (request, signal) => {
    requests[request.agent] = (requests[request.agent] ?? 0) + 1
    return (agents[request.agent] ?? here)(request, signal)
  }
  Object.assign(globalThis, { steer })
  await cli.ok('team create web')
})
afterEach(() => cli.close())

const here: Compose = () => ({ text: 'Here.' })
/** Fails once, and answers then. */
function failsOnce(): Compose {
  let asked = 0
  return () => (asked++ === 0 ? { error: { fault: 'key', message: 'the key is wrong' } } : { text: 'Here.' })
}
const call = (tool: string, input: Record<string, unknown>) => ({ tool, input })
const spawn = (name: string, more: object = {}) => call('Task', { name, prompt: 'Help.', ...more })

type Calls = readonly ReturnType<typeof call>[]

/** Answers with these calls, one list after the other, each as soon as the test calls `next`; then with text. */
function stepByStep(...answers: readonly Calls[]) {
  const steps = answers.map((calls) => {
    let release = () => {}
    const isReleased = new Promise<void>((resolve) => {
      release = resolve
    })
    return { calls, isReleased, release }
  })
  let asked = 0
  let released = 0
  const answer: Compose = async () => {
    const step = steps[asked++]
    await step?.isReleased
    return step === undefined || step.calls.length === 0 ? { text: 'I see.' } : { calls: [...step.calls] }
  }
  return { answer, next: () => steps[released++]!.release() }
}

const start = () =>
  cli.run([
    ...['-p', 'Go', '-m', STEERED, '--team', 'web', '--output-format', 'stream-json', '--verbose'],
    ...['--permission-mode', 'bypassPermissions', '--sandbox', 'off'],
  ])
const until = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 10_000, interval: 5 })
const status = async () => await cli.json('status web')
const breaker = async () => (await status()).breaker
const stateOf = async (name: string) =>
  (await status()).members.find((member: { name: string }) => member.name === name)?.status

/** What the journal says about health or the breaker, in order, with seconds since the start of the test. */
async function recorded(type: string) {
  const lines = (await cli.ok('log --handoffs --json --team web')).trim().split('\n')
  return lines.map((line) => JSON.parse(line)).filter((record) => record.type === type)
}
const secondsAt = (time: string | null) => (time === null ? null : Date.parse(time) / 1000 - START)

describe('the circuit breaker of a team', { timeout: 60_000 }, () => {
  it('opens for two agents lost within 5 minutes, and tries one agent after 2, which has 60 seconds', async () => {
    const { answer: lead, next } = stepByStep(
      [spawn('ada'), spawn('bob')],
      [spawn('eve')],
      [spawn('fay'), spawn('gus')],
      [],
    )
    const fay = stepByStep([])
    agents = { lead, ada: failsOnce(), fay: fay.answer }
    const running = start()
    next()
    await until(() => expect(requests).toMatchObject({ ada: 2, bob: 1 }))
    await until(async () => expect([await stateOf('ada'), await stateOf('bob')]).toEqual(['idle', 'idle']))

    const lose = async (name: string) => {
      agents[name] = failsOnce()
      await cli.ok(['send', name, 'And now?', '--team', 'web'])
    }
    cli.clock.advance(300)
    await lose('bob')
    await until(async () => expect([requests.bob, await stateOf('bob')]).toEqual([3, 'idle']))
    expect(await breaker(), 'the loss of ada is five minutes old').toBe('closed')
    cli.clock.advance(10)
    await lose('ada')
    await until(async () => expect(await breaker()).toBe('open'))
    expect(await cli.ok('status web')).toContain('circuit breaker: open; teammates kept failing, so subagents do')
    next()
    await until(() => expect(requests.lead).toBe(3))

    const late = stepByStep([])
    agents.ada = late.answer
    const before = requests.ada!
    cli.clock.advance(119)
    await until(async () => expect(await breaker()).toBe('open'))
    expect(requests.ada).toBe(before)
    cli.clock.advance(1)
    await until(async () => expect([await breaker(), requests.ada]).toEqual(['half-open', before + 1]))
    cli.clock.advance(59)
    expect(await breaker()).toBe('half-open')
    cli.clock.advance(1)
    await until(async () => expect((await recorded('circuit_breaker_state')).at(-1).payload.state).toBe('open'))
    late.next()
    await until(async () => expect(await stateOf('ada')).toBe('idle'))
    expect(await breaker(), 'ada was too late').toBe('open')
    cli.clock.advance(120)
    await until(async () => expect((await recorded('circuit_breaker_state')).at(-1).payload.state).toBe('half-open'))
    next()
    await until(() => expect(requests).toMatchObject({ fay: 1, lead: 4 }))
    expect(await breaker(), 'fay has not answered yet').toBe('half-open')
    fay.next()
    await until(async () => expect(await breaker()).toBe('closed'))
    next()
    const { stdout } = await running
    for (const line of [
      'closed → open: ada was lost',
      'half-open → open: ada did not answer within 60 s',
      'half-open → closed: fay works',
    ])
      expect(stdout).toContain(`[BREAKER] ${line}`)
    expect([requests.eve, requests.gus], 'refused, while open and beside the one that is tried').toEqual([
      undefined,
      undefined,
    ])
    const states = (await recorded('circuit_breaker_state')).map(({ payload }) => [
      payload.dept,
      payload.state,
      secondsAt(payload.opened_at),
      payload.failure_count,
      secondsAt(payload.last_probe_at),
    ])
    expect(states).toEqual([
      ['web', 'closed', null, 1, null],
      ['web', 'closed', null, 1, null],
      ['web', 'open', 310, 2, null],
      ['web', 'half-open', 310, 2, 430],
      ['web', 'open', 490, 2, null],
      ['web', 'half-open', 490, 2, null],
      ['web', 'half-open', 490, 2, 610],
      ['web', 'closed', null, 0, null],
    ])
  }) // C68, F49
})

describe('the health of a teammate', { timeout: 60_000 }, () => {
  it('is recorded from its start to its stop: long work is no silence, and who disappeared comes back', async () => {
    const { answer: lead, next } = stepByStep(
      [call('TaskCreate', { subject: 'dig', description: '' }), spawn('ada', { task_id: '1' })],
      [],
    )
    execFileSync('mkfifo', [join(cli.dir, 'pipe')])
    let asked = 0
    const ada: Compose = (request, signal) => {
      asked++
      if (asked === 1) return { calls: [call('bash', { command: 'echo > started; cat pipe', timeout: 3_000 })] }
      if (asked === 2) return { calls: [call('TaskUpdate', { taskId: '1', status: 'completed', result: 'dug' })] }
      return asked === 4 ? neverAnswers(request, signal) : { text: 'Here.' }
    }
    agents = { lead, ada }
    const running = start()
    next()
    await until(() => expect(existsSync(join(cli.dir, 'started'))).toBe(true))
    cli.clock.advance(800)
    expect([await stateOf('ada'), asked], 'a command runs').toEqual(['working', 1])
    writeFileSync(join(cli.dir, 'pipe'), 'end')
    await until(async () => expect([asked, await stateOf('ada')]).toEqual([3, 'idle']))
    await cli.ok('send ada Again? --team web')
    await until(async () => expect([asked, await stateOf('ada')]).toEqual([4, 'working']))
    cli.clock.advance(899)
    expect(await stateOf('ada')).toBe('working')
    cli.clock.advance(1)
    await until(async () => expect([asked, await stateOf('ada')]).toEqual([5, 'idle']))
    await cli.ok(['send', 'ada', 'That is all.', '--type', 'shutdown_request', '--team', 'web'])
    await until(async () => expect(await stateOf('ada')).toBeUndefined())
    next()
    const { stdout, code } = await running
    expect(code).toBe(0)
    expect(stdout).toContain('[HEALTH] Agent ada disappeared: ada gave no sign of life for 900 s')
    const health = (await recorded('agent_health_event')).map(({ payload }) => payload)
    for (const { agent_id, dept } of health) expect([agent_id, dept]).toEqual(['ada', 'web'])
    expect(
      health.map(({ prev_state, state, timestamp, timeout_triggered }) => [
        `${prev_state} → ${state}`,
        secondsAt(timestamp),
        timeout_triggered,
      ]),
    ).toEqual([
      ['null → start', 0, false],
      ['start → working', 0, false],
      ['working → idle', 800, false],
      ['idle → working', 800, false],
      ['working → disappeared', 1700, true],
      ['disappeared → start', 1700, false],
      ['start → working', 1700, false],
      ['working → idle', 1700, false],
      ['idle → stop', 1700, false],
    ])
    expect(await cli.ok('log --team web')).toContain('health of ada: disappeared (was working)')
  }) // C63, C64, C66, F46, F49
})

describe('an agent that makes no progress', { timeout: 60_000 }, () => {
  const dig = [call('TaskCreate', { subject: 'dig', description: '' }), spawn('ada', { task_id: '1' })]
  const lead = (): Compose => {
    let asked = 0
    return () => (asked++ === 0 ? { calls: dig } : { text: 'I see.' })
  }

  it('is reminded of the task it holds, and the third time it idles with it the task fails', async () => {
    agents = { lead: lead() }
    const { code } = await start()
    expect([code, requests.ada]).toEqual([4, 3])
    expect(cli.read('.teams/web/transcripts/ada.jsonl').match(/you still hold task 1/g)).toHaveLength(2)
    expect(await cli.ok('task show 1 --team web')).toContain('ada ended its turn 3 times without completing it')
  }) // C67

  it('because its process died loses its task, and takes it up again in the next run', async () => {
    await cli.ok('task add dig --files hole.ts --team web')
    await cli.ok('task add fill --role ci --files hole.ts --team web')
    {
      await using workspace = await openWorkspace({ cwd: cli.dir, env: cli.env })
      await using team = await openTeam(workspace.store, 'web', { clock: cli.clock })
      const dead = workspace.store.presence.self.replace(/-\d+-\d+$/, '-999999999-1')
      await team.run({ type: 'member.spawn', name: 'lead', role: 'lead', runtime: dead })
      await team.run({ type: 'member.spawn', name: 'ada', role: 'ada', runtime: dead, task: '1' })
    }
    expect(await cli.json('task show 1 --team web')).toMatchObject({ status: 'in_progress', owner: 'ada' })
    const completion = [call('TaskUpdate', { taskId: '1', status: 'completed', result: 'dug' })]
    agents.ada = () => (requests.ada === 1 ? { calls: completion } : { text: 'Done.' })
    expect((await cli.run(['resume', 'web', '-m', STEERED])).code).toBe(4)
    expect(await cli.json('task show 1 --team web')).toMatchObject({
      ...{ status: 'completed', owner: 'ada', attempts: 2 },
      ended: [{ owner: 'ada', end: 'owner lost' }],
    })
    await cli.ok('team join ci --role ci --team web')
    await cli.ok('task claim 2 --as ci --team web')
  }) // C67

  it('makes a failing call three times, then another one, and its lead learns what blocks it', async () => {
    let asked = 0
    const fail = call('bash', { command: 'echo x >> tries; echo no space >&2; exit 1' })
    const other = call('bash', { command: 'echo y >> tries' })
    const ada: Compose = () => {
      asked++
      if (asked <= 5) return { calls: [fail] }
      if (asked === 6) return { calls: [other] }
      return asked === 7
        ? { calls: [call('TaskUpdate', { taskId: '1', status: 'completed', result: 'dug' })] }
        : { text: 'Done.' }
    }
    agents = { lead: lead(), ada }
    const { code } = await start()
    expect(code).toBe(0)
    expect(cli.read('tries')).toBe('x\nx\nx\ny\n')
    const said = cli.read('.teams/web/transcripts/ada.jsonl')
    expect(said.match(/the same call of bash has failed 3 times, so it is not made again/g)).toHaveLength(2)
    const lines = (await cli.ok('log --json --team web'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const blockers = lines.filter(({ message }) => message?.content.includes('is blocked'))
    expect(blockers.map(({ message }) => [message.from, message.to, message.type])).toEqual([['ada', 'lead', 'error']])
    expect(blockers[0].message.content).toContain('no space')
  }) // C69
})
