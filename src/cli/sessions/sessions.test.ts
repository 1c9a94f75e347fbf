import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import type { Script } from '../../models/scripted/script.ts'
import type { ListedSession } from '../../session/find-sessions.ts'
import { titleOf } from '../../session/session-title.ts'

let cli: CommandHarness
let made = 0
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

function script(parts: Script['parts']): string {
  const path = join(cli.dir, '..', `script-${made++}.json`)
  writeFileSync(path, JSON.stringify({ parts }))
  return `scripted:${path}`
}
const hello = () => script([{ times: 'always', text: 'hello' }])
const sessionFolders = () =>
  existsSync(join(cli.dir, '.teams'))
    ? readdirSync(join(cli.dir, '.teams')).filter((name) => name.startsWith('s-'))
    : []
const list = (): Promise<ListedSession[]> => cli.json('sessions')

/** A session with this prompt, last used so many days before now. */
async function session(prompt: string, { days = 0, model = hello() } = {}): Promise<string> {
  const before = sessionFolders()
  cli.clock.advance(1)
  await cli.run(['-p', prompt, '-m', model])
  const id = sessionFolders().find((name) => !before.includes(name))!
  used(id, days)
  return id
}
function used(id: string, days: number): void {
  const at = cli.clock.now() - days * 86_400
  utimesSync(join(cli.dir, '.teams', id, 'transcripts', 'lead.jsonl'), at, at)
}

describe('the title of a session', () => {
  it.each([
    ['fix the build', 'fix the build'],
    ['\n\n  fix\tthe   build \nand then more', 'fix the build'],
    ['\u001b[31mred\u0007 \u202eevil', '[31mred evil'],
    ['👩‍👩‍👧‍👦'.repeat(80), '👩‍👩‍👧‍👦'.repeat(80)],
    ['👩‍👩‍👧‍👦'.repeat(81), `${'👩‍👩‍👧‍👦'.repeat(79)}…`],
    [`${'e\u0301'.repeat(200)}`, `${'e\u0301'.repeat(79)}…`],
    ['', ''],
  ])('is the first line of its first prompt, cut between characters: %j', (prompt, title) => {
    expect(titleOf(prompt)).toBe(title)
  }) // T39

  it('stays when the session goes on, and stands in every list', async () => {
    const id = await session('fix the build\nplease')
    await cli.ok(['-c', 'and the tests too', '-m', hello()])
    expect(await list()).toMatchObject([{ name: id, title: 'fix the build', createdAt: expect.any(Number) }])
    for (const words of ['sessions', 'team list', 'status']) expect(await cli.ok(words)).toContain('fix the build')
  }) // T39
})

describe('deskmates sessions', () => {
  it('lists one line each with id, date and title, the one that was used last first', async () => {
    const [a, b] = [await session('first work', { days: 3 }), await session('second work', { days: 1 })]
    await cli.ok('team create board')
    const lines = (await cli.ok('sessions')).trimEnd().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(new RegExp(`^${b} +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d +at rest .* second work$`))
    expect(lines[1]).toMatch(new RegExp(`^${a} .* first work$`))
    used(a, 0)
    expect((await list()).map(({ name }) => name)).toEqual([a, b])
  }) // T39

  it('says that there are none, and how to begin one', async () => {
    const { code, stdout, stderr } = await cli.run('sessions')
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining("-p '") })
    expect(await list()).toEqual([])
  }) // T39
})

describe('status and resume without a team', () => {
  it('mean the newest session, and list the other ones', async () => {
    const [a, b] = [await session('first work', { days: 2 }), await session('second work', { days: 1 })]
    const shown = await cli.ok('status')
    expect(shown).toMatch(new RegExp(`^${b} `))
    expect(shown).toMatch(new RegExp(`Other sessions.*\\n${a} .* first work\\n$`, 's'))
    expect(await cli.json('status')).toMatchObject({ name: b, others: [{ name: a, title: 'first work' }] })
    const resumed = await cli.run(['resume', '-m', hello()])
    expect(resumed.code).toBe(0)
    expect(resumed.stderr).toContain(`Resuming ${b}: second work`)
    expect(resumed.stderr).toMatch(new RegExp(`Other sessions:\\n${a} .* first work\\n`))
    used(a, 0)
    expect((await cli.run(['resume', '-m', hello()])).stderr).toContain(`Resuming ${a}: first work`)
  }) // T39

  it('mean the board of default where there is no session, and what is named where something is', async () => {
    await cli.ok('task add one')
    expect(await cli.ok('status')).toMatch(/^default /)
    await session('some work')
    expect(await cli.ok('status default')).toMatch(/^default /)
    expect(await cli.ok('status --team default')).toMatch(/^default /)
    const env = { ...cli.env, DESKMATES_TEAM: 'default' }
    expect(await cli.ok('status', { env })).toMatch(/^default /)
  }) // T39

  it('stay readable after many runs', async () => {
    for (let i = 0; i < 14; i++) await session(`work ${i}`, { days: 20 - i })
    const lines = (await cli.ok('status')).split('\n')
    expect(lines.filter((line) => /^s-/.test(line))).toHaveLength(11)
    expect(lines.at(-2)).toBe('3 more: deskmates sessions')
    const { stderr } = await cli.run('status nothere')
    expect(stderr).toContain('Teams here: 14 sessions (deskmates sessions).')
    expect(stderr).not.toContain('s-2027')
    const trusted = (await cli.ok('trust')).trimEnd().split('\n')
    expect(trusted).toEqual([expect.stringMatching(/settings, agents/), 'trusted  14 journals: 14 sessions'])
  }, 60_000) // T39
})

describe('a run that failed before its first answer', () => {
  it.each(['key', 'billing', 'model', 'permission', 'request'] as const)('leaves no session: %s', async (fault) => {
    const model = script([{ times: 'always', error: { fault, message: 'no' } }])
    const { code, stderr } = await cli.run(['-p', 'hi', '-m', model])
    expect([code, stderr]).toEqual([1, expect.stringContaining('no session is kept')])
    expect(sessionFolders()).toEqual([])
    expect(await list()).toEqual([])
    expect(readdirSync(join(cli.dir, '.teams', '.deleted'))).toEqual([])
  }) // T39

  it('leaves none either for a wrong option, a missing key or an unknown provider', async () => {
    for (const words of [
      ['-p', 'hi', '-m', 'anthropic/x'],
      ['-p', 'hi', '-m', 'acme/x'],
      ['-p', 'hi', '-m', hello(), '--bogus'],
      ['-p', 'hi', '-m', 'scripted:missing.json'],
    ])
      expect((await cli.run(words)).code).not.toBe(0)
    expect(sessionFolders()).toEqual([])
  }) // T39

  it('keeps a session that was there before, and one in which something was said', async () => {
    const id = await session('first work')
    const broken = script([{ times: 'always', error: { fault: 'key', message: 'no' } }])
    expect((await cli.run(['-c', '-p', 'go on', '-m', broken])).code).toBe(1)
    expect(sessionFolders()).toEqual([id])
    const later = script([
      { when: { answer: 1 }, calls: [{ tool: 'glob', input: { pattern: '*' } }] },
      { times: 'always', error: { fault: 'key', message: 'no' } },
    ])
    await session('second work', { model: later })
    expect(sessionFolders()).toHaveLength(2)
  }) // T39
})

describe('deskmates sessions prune', () => {
  it('moves those away that were not used for 30 days, or so long as is said', async () => {
    const [old, middle, fresh] = [
      await session('old', { days: 31 }),
      await session('middle', { days: 8 }),
      await session('fresh'),
    ]
    expect(await cli.json('sessions prune --dry-run')).toMatchObject([{ name: old, title: 'old', removed: false }])
    expect(sessionFolders()).toHaveLength(3)
    expect(await cli.json('sessions prune')).toMatchObject([{ name: old, removed: true }])
    expect(sessionFolders().sort()).toEqual([middle, fresh].sort())
    expect(readdirSync(join(cli.dir, '.teams', '.deleted'))).toEqual([expect.stringContaining(old)])
    expect(await cli.json('sessions prune --older-than 7d --purge')).toMatchObject([{ name: middle }])
    expect(readdirSync(join(cli.dir, '.teams', '.deleted'))).toHaveLength(1)
    expect(sessionFolders()).toEqual([fresh])
  }) // T39

  it('keeps the newest, as many as are said, and with both options only what is old goes', async () => {
    const ids = []
    for (let i = 0; i < 4; i++) ids.push(await session(`work ${i}`, { days: 10 - i }))
    expect(await cli.json('sessions prune --keep 2 --older-than 10d --dry-run')).toMatchObject([{ name: ids[0] }])
    expect((await cli.json('sessions prune --keep 2')).map(({ name }: ListedSession) => name)).toEqual([ids[1], ids[0]])
    expect((await list()).map(({ name }) => name)).toEqual([ids[3], ids[2]])
  }) // T39

  it('spares unread mail and open tasks unless it is forced, and always a team that a person named', async () => {
    const mail = await session('has mail', { days: 40 })
    await cli.ok(['send', 'lead', 'read me', '--team', mail])
    const task = await session('has a task', { days: 40 })
    await cli.ok(['task', 'add', 'open', '--team', task])
    await cli.ok('team create web')
    await cli.ok(['-p', 'work here', '-m', hello(), '--team', 'web'])
    used('web', 40)
    for (const id of [mail, task]) used(id, 40)
    const { stdout, stderr } = await cli.run('sessions prune')
    expect([stdout, stderr]).toEqual(['', expect.stringContaining('2 sessions kept')])
    expect(await cli.json('sessions prune --force')).toHaveLength(2)
    expect((await list()).map(({ name }) => name)).toEqual(['web'])
  }) // T39

  it('never removes a session that a process works on, forced or not', async () => {
    const { choose } = await import('./prune.ts')
    const one = { title: '', createdAt: 0, usedAt: 0, members: [], openTasks: 0, unread: 0, teams: [] }
    const states = ['at work', 'unknown', 'at rest', 'interrupted'] as const
    const all = states.map((state, i) => ({ ...one, name: `s-20260101-00000${i}-aaaa`, state }))
    const names = (options: object) => choose(all, options, 1e9).chosen.map(({ state }) => state)
    for (const options of [{}, { force: true }, { olderThan: 1, force: true }, { keep: 0 }])
      expect(names(options)).toEqual(['at rest', 'interrupted'])
  }) // T39

  it('is not for agents, and refuses what is no time and no number', async () => {
    const env = { ...cli.env, DESKMATES_AGENT: 'ada' }
    expect((await cli.run('sessions prune', { env })).code).toBe(1)
    for (const words of ['sessions prune --older-than soon', 'sessions prune --keep few', 'sessions purne'])
      expect([words, (await cli.run(words)).code]).toEqual([words, 2])
  }) // T39
})
