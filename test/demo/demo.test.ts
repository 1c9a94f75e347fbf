import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { demoModel } from '../../src/cli/demo/demo-model.ts'
import { ASSIGNMENT, type Performance, perform } from '../../src/cli/demo/perform.ts'
import { systemClock } from '../../src/journal/clock.ts'
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts'
import type { EventOf, EventType } from '../../src/team/event.ts'
import { commandHarness } from '../cli/command-harness.ts'
import { readRawJournal } from '../storms/raw-journal.ts'
import { buildCli, cli, type Home, makeHome } from './demo-process.ts'
import { openProvider } from './provider.ts'

beforeAll(buildCli)

const FAST = ['--speed', '50']

// Only against hanging: several teams at once on a busy machine take their time.
describe('the demo', { timeout: 180_000 }, () => {
  const home = makeHome()
  // Inside a project that has teams of its own already.
  const dir = join(home.top, 'a project', 'a new folder')
  // There is no terminal, so the key changes nothing.
  let ran: Awaited<ReturnType<Home['run']>>
  beforeAll(async () => {
    mkdirSync(join(dir, '..', '.teams'), { recursive: true })
    ran = await home.run('env', [
      'ANTHROPIC_API_KEY=none',
      process.execPath,
      cli,
      'demo',
      '--json',
      ...FAST,
      '--dir',
      dir,
    ])
  }, 180_000)
  afterAll(() => home[Symbol.dispose]())

  it('turns REST into GraphQL in four chained tasks, and prints only what the journal records', () => {
    const { code, stdout, stderr } = ran
    expect(stderr).toBe('')
    expect(code).toBe(0)
    const inputs = JSON.parse(stdout)
    const { of } = readEvents(dir)

    expect(of('task.created').map(({ id, role, blockedBy }) => [id, role, blockedBy])).toEqual([
      ['1', 'analyst', []],
      ['2', 'backend', ['1']],
      ['3', 'backend', ['2']],
      ['4', 'frontend', ['3']],
    ])
    expect(of('task.completed').map(({ id }) => id)).toEqual(['1', '2', '3', '4'])
    expect(inputs).toMatchObject({ ok: true, team: 'graphql', dir, tasks: { total: 4, completed: 4 } })
    expect(inputs).toMatchObject({ tests: { before: 4, after: 6, failed: 0 }, plans: { approved: 2, rejected: 1 } })
    expect(
      of('request.answered')
        .filter(({ by }) => by === 'lead')
        .map(({ approve }) => approve),
    ).toEqual([false, true, true])
    expect(inputs.report).toContain('4 tests passed before, 6 pass now')
    expect(readFileSync(join(dir, 'src/page.js'), 'utf8')).toContain("body: { query: '{ products { name price } }' }")
    expect(readFileSync(join(dir, 'docs/endpoints.md'), 'utf8')).toContain('- GET /stock')

    expect(of('member.lost')).toMatchObject([{ name: 'frontend', reason: expect.stringContaining('killed') }])
    expect(of('task.released')).toMatchObject([{ id: '4', end: 'owner lost' }])
    expect(of('task.claimed').filter(({ id }) => id === '4')).toMatchObject([{ generation: 1 }, { generation: 2 }])
    expect(inputs).toMatchObject({ lost: ['frontend'], back: ['frontend'], breaker: 'closed' })
    expect(inputs.stopped.sort()).toEqual(['analyst', 'backend', 'frontend'])
    expect(readdirSync(join(dir, '..')), 'nothing is written outside of its folder').toEqual(['.teams', 'a new folder'])
  }) // A89, D12

  it('has teammates that ask each other directly, also an idle one, and use the answers', () => {
    const { of } = readEvents(dir)
    const between = of('message.sent').filter(
      ({ message: { type, from, to } }) => type === 'message' && ![from, to].includes('lead'),
    )
    expect(between.map(({ message: { from, to, content } }) => [from, to, content])).toEqual([
      ['backend', 'frontend', 'Which fields of a product does src/page.js show?'],
      ['frontend', 'backend', 'src/page.js shows: name, price.'],
      ['frontend', 'backend', 'Which query does src/page.js send, now that there is src/schema.js?'],
      ['backend', 'frontend', 'Send { products { name price } } to POST /graphql.'],
    ])
    expect(readFileSync(join(dir, 'src/schema.js'), 'utf8')).toContain('  name: String!\n  price: Int!\n')
  }) // A91

  it('also finishes with a renamed task, a fifth task, and another teammate killed', async () => {
    using home = makeHome()
    const dir = folder(home)
    const assignment = ASSIGNMENT.replace('Write the GraphQL schema', 'Say what can be asked for').replace(
      '(src/page.js)\n',
      '(src/page.js)\n5. analyst: Tell users what changed (docs/news.md)\n',
    )
    const summary = await perform(quietCall(home), play({ dir, assignment, victim: 'backend' }))
    expect(summary).toMatchObject({ tasks: { total: 5, completed: 5 }, tests: { after: 6, failed: 0 } })
    expect(summary).toMatchObject({ lost: ['backend'], back: ['backend'], breaker: 'closed' })
    expect(summary.stopped).toHaveLength(3)
    const release = readFileSync(join(dir, 'docs/news.md'), 'utf8')
    expect(release).toContain(
      '# Tell users what changed\n\nTask 4 (Let the page ask by GraphQL) resulted in: src/page.js; 6 tests',
    )
    const { of } = readEvents(dir)
    expect(of('task.created')[1]).toMatchObject({ subject: 'Say what can be asked for' })
    // What was approved for its first life is not approved for the second: it asked again.
    expect(summary.plans).toEqual({ approved: 3, rejected: 1 })
  })

  it('prints plain lines in a pipe and ends with commands that work as they stand', async () => {
    using home = makeHome()
    const { code, stdout } = await home.run(process.execPath, [cli, 'demo', ...FAST])
    expect(code).toBe(0)
    expect(stdout, 'no colours in a pipe').not.toContain('\x1b')
    expect(stdout).toContain('backend   hands in a plan to lead: Write the GraphQL schema')
    expect(stdout).toContain('without a sandbox')
    expect(stdout.match(/\[not checked\] .*\.$/gm), 'once, in full').toHaveLength(1)
    const story = stdout.slice(0, stdout.indexOf('The lead reports'))
    expect(
      Math.max(
        ...story
          .split('\n')
          .filter((line) => !line.includes(home.top))
          .map(({ length }) => length),
      ),
    ).toBeLessThanOrEqual(120)
    const commands = stdout.split('\n').filter((line) => line.startsWith('  bin/deskmates '))
    expect(commands.length).toBeGreaterThan(4)
    for (const command of commands) expect(await home.run('sh', ['-c', command]), command).toMatchObject({ code: 0 })
  })

  it('offers the real model only to a person with a key, once, and takes no for an answer', async () => {
    const harness = commandHarness()
    const env = { ...harness.env, PATH: process.env.PATH, ANTHROPIC_API_KEY: 'none' }
    try {
      const asked = await harness.run(['demo', ...FAST, '--dir', 'one'], {
        env,
        clock: systemClock,
        ...personSaying('n'),
      })
      expect(asked.stdout.split('[y/N]')).toHaveLength(2)
      expect(asked.stdout).toContain('The model is scripted:demo')
      expect(asked.stdout).toContain('\x1b[')
      expect(asked.code).toBe(0)
      const lines = stripVTControlCharacters(asked.stdout).split('\n')
      const tooLong = lines.filter((line) => line.length > 80 && line.trim().includes(' '))
      expect(tooLong, 'a terminal of 80 columns breaks no word').toEqual([])
    } finally {
      harness.close()
    }
  })

  it('runs on a provider, over the wire, for a person who says yes', async () => {
    const harness = commandHarness()
    await using provider = await openProvider()
    const key = { ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: provider.url }
    try {
      const env = { ...harness.env, PATH: process.env.PATH, ...key }
      const played = await harness.run(['demo', '--dir', 'one'], { env, clock: systemClock, ...personSaying('y') })
      expect(played.code, played.stdout + played.stderr).toBe(0)
      expect(played.stdout).toContain('The model is anthropic/')
      const { of } = readEvents(join(harness.dir, 'one'))
      expect(of('task.completed').map(({ id }) => id)).toEqual(['1', '2', '3', '4'])
      expect(of('member.lost').map(({ name }) => name)).toEqual(['frontend'])
      expect([...provider.calls.keys()].sort()).toEqual(['analyst', 'backend', 'frontend', 'lead'])
    } finally {
      harness.close()
    }
  }) // A89, D12

  it('stops every agent when it is interrupted', async () => {
    using home = makeHome()
    const on = { text: 'takes #1', signal: 'SIGINT' } as const
    const { code, stderr } = await home.run(process.execPath, [cli, 'demo'], on)
    expect(code).toBe(130)
    const [dir = ''] = /\/\S*deskmates-demo-\w+$/m.exec(stderr.trim()) ?? []
    const before = readFileSync(journal(dir), 'utf8')
    const check = await home.run(process.execPath, [cli, '--cwd', dir, '--team', 'graphql', 'check', '--json'])
    expect(JSON.parse(check.stdout)).toMatchObject({ ok: true })
    expect(readFileSync(journal(dir), 'utf8'), 'no process writes any more').toBe(before)
  })

  it('fails and names it when the team does not come to its end', async () => {
    using home = makeHome()
    const model = scriptedModel({ parts: [{ text: 'No.' }] })
    const playing = perform(quietCall(home), play({ dir: folder(home), model }))
    await expect(playing).rejects.toMatchObject({ code: 'demo_failed', message: expect.stringContaining('no team') })
  })

  it('refuses a folder that is not empty, and an invalid speed', async () => {
    using home = makeHome()
    writeFileSync(join(home.top, 'package.json'), 'mine')
    const { code, stderr } = await home.run(process.execPath, [cli, 'demo', '--dir', home.top])
    expect(code).toBe(2)
    expect(stderr).toContain('is not empty')
    expect(existsSync(join(home.top, '.teams'))).toBe(false)
    expect(await home.run(process.execPath, [cli, 'demo', '--speed', 'fast'])).toMatchObject({ code: 2 })
  })
})

function play(changes: Pick<Performance, 'dir'> & Partial<Performance>): Performance {
  const model = changes.model ?? demoModel(50)
  return { assignment: ASSIGNMENT, victim: 'frontend', sandbox: 'off', tell: async () => {}, ...changes, model }
}

function journal(dir: string): string {
  return join(dir, '.teams', 'graphql', 'journal.jsonl')
}

function readEvents(dir: string) {
  const { records, torn, malformed } = readRawJournal(journal(dir))
  expect({ torn, malformed }).toEqual({ torn: 0, malformed: [] })
  const events = records.filter(({ accepted }) => accepted).flatMap((record) => record.events)
  return { of: <T extends EventType>(type: T) => events.filter((event): event is EventOf<T> => event.type === type) }
}

function folder(home: Home): string {
  const dir = join(home.top, 'story')
  mkdirSync(dir)
  return dir
}

function personSaying(word: string) {
  const stdin = (async function* () {
    yield `${word}\n`
  })()
  return { isTerminal: true, isStdinTerminal: true, columns: 80, stdin }
}

function quietCall({ top, env }: Home) {
  const silent = { write: (_: string, done: () => void) => done() }
  return {
    ...{ stdout: silent, stderr: silent, stdin: (async function* () {})(), env, cwd: top, isTerminal: false },
    signal: AbortSignal.timeout(120_000),
    clock: systemClock,
    globals: { json: false },
  }
}
