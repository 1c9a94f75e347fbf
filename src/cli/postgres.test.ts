import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../test/cli/command-harness.ts'
import { doctorHarness } from '../../test/cli/doctor-harness.ts'
import { useDatabase } from '../../test/postgres/database.ts'
import { loseEnd } from '../../test/postgres/lose-end.ts'
import { systemClock } from '../journal/clock.ts'
import { examinations } from './doctor/doctor.ts'

const database = useDatabase()
let cli: CommandHarness
let url: string
let schema: string
beforeEach(() => {
  cli = commandHarness()
  ;({ url, schema } = database.place())
  cli.env.DESKMATES_STORE = url
})
afterEach(() => cli.close())

describe('on PostgreSQL', () => {
  it('a team lives as on files: made, joined, worked on, looked at, checked, deleted', async () => {
    await cli.ok('team create web --description shop')
    await cli.ok('team join ci --role tester --team web')
    expect(await cli.json(['task', 'add', 'Write the parser', '--team', 'web'])).toMatchObject({ id: '1' })
    await cli.ok(['task', 'add', 'Test it', '--team', 'web', '--blocked-by', '1'])
    expect(await cli.json('task list --ready --team web')).toMatchObject([{ id: '1' }])
    expect(await cli.json('task claim --as ci --lease 10m --team web')).toMatchObject({ id: '1', owner: 'ci' })
    expect(await cli.json('task claim --as ci --team web')).toMatchObject({ id: '1' })
    await cli.ok('task complete 1 --as ci --result done --team web')
    expect(await cli.json('task show 1 --team web')).toMatchObject({ status: 'completed', result: 'done' })
    expect(await cli.json('team show web')).toMatchObject({ name: 'web', description: 'shop' })
    expect(await cli.json('team list')).toMatchObject([{ name: 'web', openTasks: 1 }])
    const log = await cli.ok('log --json --team web')
    expect(
      log
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).type),
    ).toContain('task.completed')
    expect(await cli.ok('log --all --team web')).toContain('completed task 1')
    const steps = (await cli.ok('replay web --json')).trim().split('\n')
    expect(JSON.parse(steps[0]!)).toMatchObject({ step: 1, events: [{ type: 'team.created' }] })
    expect(steps.join()).toContain('task.completed')
    expect(await cli.json('check --team web')).toMatchObject({ ok: true, refused: 0, views: [] })
    expect(await cli.ok('check --team web')).toMatch(/web\/journal: \d+ records count\nAll is well\.\n$/)
    expect(await cli.ok('check --repair --team web')).toContain('The snapshot was rebuilt.')
    expect(await cli.json('team delete web')).toMatchObject({ name: 'web', deleted: true })
    expect(await cli.json('team list')).toEqual([])
    expect(existsSync(join(cli.dir, '.teams'))).toBe(false)
  })

  it('a member acts with its token only, from another machine too, and serves its mail by MCP', async () => {
    await cli.ok('team create web')
    const { tokenFile } = await cli.json('team join ci --role tester --team web')
    const token = readFileSync(tokenFile, 'utf8').trim()
    const elsewhere = (changes: object) => ({
      env: { ...cli.env, DESKMATES_STATE: join(cli.dir, '..', 'other'), ...changes },
    })
    expect(await cli.ok('send lead hi --from ci --team web')).toBe('lead: queued\n')
    expect(await cli.refused('send lead hi --from ci --team web', elsewhere({}))).toBe('wrong_token')
    const given = elsewhere({ DESKMATES_MEMBER_TOKEN: token })
    expect(await cli.ok('send lead hi --from ci --team web', given)).toBe('lead: queued\n')
    await cli.ok('send ci hello --team web')
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'wait_for_news', arguments: {} } }
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    const lines: string[] = []
    let stdout: { write(text: string, done: () => void): void } | undefined
    const answered = new Promise<void>((resolve) => {
      stdout = {
        write(text, done) {
          lines.push(text)
          if (text.includes('"id":2')) resolve()
          done()
        },
      }
    })
    const stdin = (async function* () {
      yield `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })}\n`
      yield `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n${JSON.stringify(call)}\n`
      await answered
    })()
    expect(await cli.run('mcp serve --team web', { ...given, stdin, ...(stdout && { stdout }) })).toMatchObject({
      code: 0,
      stderr: '',
    })
    expect(JSON.parse(lines.join('').trim().split('\n').at(-1) ?? '').result.structuredContent.messages).toMatchObject([
      { content: 'hello', to: 'ci' },
    ])
    expect(await cli.json('inbox ci --team web'), 'nothing was named, so it is unread').toHaveLength(1)
  })

  it('mail is sent and taken once, however long it is, and no other process reads it again', async () => {
    const text = 'long '.repeat(10_000)
    await cli.ok(['send', 'lead', text])
    expect(await cli.json('inbox lead')).toMatchObject([{ content: text }])
    expect(await cli.json('inbox lead --take')).toMatchObject([{ content: text }])
    expect(await cli.json('inbox lead --take')).toEqual([])
    expect(await cli.ok('log --grep long --json')).toContain(text)
  }) // F2

  it('a claim that waits is woken by a task of another process', async () => {
    await cli.ok(['task', 'add', 'first'])
    await cli.ok('team join ci --role tester')
    await cli.ok('task claim --as ci')
    await cli.ok('task complete 1 --as ci')
    const clock = { ...systemClock, now: () => Date.now() / 1000 }
    const claimed = cli.json('task claim --as ci --wait 60s', { clock })
    await cli.ok(['task', 'add', 'second'])
    expect(await claimed).toMatchObject({ id: '2', owner: 'ci' })
  })

  it('a command that waits says in one line that the journal lost its end, and goes on', async () => {
    await cli.ok('team join ci --role tester')
    // A record may hold several events.
    const events = (await cli.ok('log --json')).trim().split('\n')
    const kept = new Set(events.map((line) => JSON.parse(line).seq)).size
    await cli.ok(['send', 'lead', 'lost'])
    const clock = { ...systemClock, now: () => Date.now() / 1000 }
    const stop = new AbortController()
    let shown = ''
    const stdout = {
      write(text: string, done: () => void) {
        shown += text
        if (shown.includes('second')) stop.abort()
        done()
      },
    }
    const following = cli.run('log --follow', { stdout, signal: stop.signal })
    const claiming = cli.run('task claim --as ci --wait 60s', { clock })
    await listening(2)
    await loseEnd(database, schema, kept)
    await cli.ok(['task', 'add', 'second'])
    expect(await claiming).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('second'),
      stderr: expect.stringMatching(/^deskmates: The journal of default lost its end[^\n]*\n$/),
    })
    const { code, stderr } = await following
    expect(code).toBe(0)
    expect(stderr).toMatch(/^deskmates: [^\n]* lost its end[^\n]* 1 record shown before is gone[^\n]*\n$/)
    expect(shown.match(/ci joined/g)).toHaveLength(1)
  })

  it('a repeated command id gets its first answer', async () => {
    const add = ['task', 'add', 'once', '--command-id', 'again']
    const first = await cli.json(add)
    expect(await cli.json(add)).toEqual(first)
    expect(await cli.json('task list')).toHaveLength(1)
  })

  it('--store wins over the environment, and an unreachable server is named without the password', async () => {
    await cli.ok(['task', 'add', 'here'])
    expect(await cli.json('task list --store files')).toEqual([])
    const { code, stderr } = await cli.run('task list --store postgres://me:s3cret@127.0.0.1:1/teams')
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('127.0.0.1:1/teams') })
    expect(stderr).not.toContain('s3cret')
  })

  it('trust is a matter of the address, and the doctor tries the server out', async () => {
    await cli.ok(['task', 'add', 'here'])
    expect((await cli.run('trust --team default')).code).toBe(2)
    expect(await cli.json('trust')).toMatchObject({ teams: [] })
    await using waiting = doctorHarness({ env: { DESKMATES_STORE: url } })
    const examination = examinations.find(({ name }) => name === 'PostgreSQL')!
    expect(await waiting.examine(examination)).toMatchObject({ verdict: 'pass' })
    expect(await cli.json('team list')).toMatchObject([{ name: 'default' }])
  })
})

/** Resolves when so many processes wait for news. */
async function listening(count: number): Promise<void> {
  const waiting = `select count(*)::int as count from pg_stat_activity where query like 'listen "${schema}"%'`
  for (let looks = 0; looks < 5000; looks++) if ((await database.sql(waiting))[0].count === count) return
  throw new Error(`There were never ${count} that listen.`)
}
