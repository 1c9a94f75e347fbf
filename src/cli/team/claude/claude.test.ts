import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../../test/cli/command-harness.ts'

let cli: CommandHarness
let home: string
beforeEach(() => {
  cli = commandHarness()
  home = join(cli.dir, '..', 'home', '.claude')
})
afterEach(() => cli.close())

function put(path: string, value: unknown, folder = home): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  const isRaw = typeof value === 'string' || value instanceof Uint8Array
  writeFileSync(join(folder, path), isRaw ? value : JSON.stringify(value))
}
const message = (text: string, more: object = {}) => ({
  ...{ from: 'team-lead', text, timestamp: '2026-01-01T00:00:01.000Z', read: false },
  ...more,
})

/** As Claude Code writes it. */
function putTeam(folder = home): void {
  const member = (name: string, agentType: string) => ({ agentId: `${name}@web`, name, agentType, color: 'blue' })
  put(
    'teams/web/config.json',
    {
      name: 'web',
      description: 'the shop',
      members: [member('team-lead', 'team-lead'), member('ada', 'frontend dev'), member('bob', 'tester')],
    },
    folder,
  )
  put(
    'teams/web/inboxes/ada.json',
    [
      message('seen', { read: true }),
      message('Build the page.', { summary: 'page', color: 'red' }),
      message('{"type":"idle_notification","idleReason":"available"}'),
      message('{"type":"task_assignment","taskId":"1"}', { summary: 'a task' }),
    ],
    folder,
  )
  put('teams/web/inboxes/team-lead.json', [message('Which page?', { from: 'ada' })], folder)
  put('teams/web/inboxes/gone.json', [message('lost?')], folder)
  put(
    'tasks/web/1.json',
    {
      id: '1',
      subject: 'page',
      description: 'the front page',
      status: 'in_progress',
      owner: 'ada',
      blocks: ['2'],
      blockedBy: [],
    },
    folder,
  )
  put(
    'tasks/web/2.json',
    { id: '2', subject: 'tests', status: 'pending', blockedBy: ['1', '3', '99'], metadata: { a: 1 } },
    folder,
  )
  put('tasks/web/3.json', { id: '3', subject: 'setup', status: 'completed', blockedBy: [] }, folder)
  put('tasks/web/.lock', '', folder)
}

/** Every path with its size and times: reading changes none of them. */
function fingerprint(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  return names.map((name) => {
    const { size, mtimeMs, ctimeMs, mode } = lstatSync(join(folder, name))
    return `${name} ${size} ${mtimeMs} ${ctimeMs} ${mode}`
  })
}

describe('team import --claude', () => {
  it('brings in members, unread mail and open tasks, and names everything else with the reason', async () => {
    putTeam()
    const before = fingerprint(home)
    const { members, imported, description } = await cli.json('team import --claude web')
    expect(description).toBe('the shop (imported from Claude Code: web)')
    expect(members.map(({ name, role }: { name: string; role: string }) => `${name}: ${role}`)).toEqual([
      ...['lead: lead', 'ada: frontend dev', 'bob: tester'],
    ])
    expect(imported).toMatchObject({ members: 2, messages: 3, tasks: 2 })
    const left = imported.left.join('\n')
    for (const why of [
      /^1 message to ada: read before$/m,
      /^1 message to ada \(idle_notification\): about processes that are not here$/m,
      /^1 message to gone: no member is called "gone"$/m,
      /^task 3: it is completed$/m,
      /^state of task 1: it was in progress there and is pending here$/m,
      /^task 2 waits for "99": there is no such task$/m,
      /^metadata of task 2: there is no place for it here$/m,
      /^agentId, color of the member ada: there is no place for it here$/m,
    ])
      expect(left).toMatch(why)
    const mail = await cli.json('inbox ada --team web')
    expect(mail.map(({ content, external }: { content: string; external: boolean }) => [content, external])).toEqual([
      ['Build the page.', true],
      ['a task\n\n{"type":"task_assignment","taskId":"1"}', true],
    ])
    const [first, second] = await cli.json('task list --team web')
    expect(first).toMatchObject({ subject: 'page', assignee: 'ada', status: 'pending', description: 'the front page' })
    expect(second).toMatchObject({ subject: 'tests', blockedBy: [first.id] })
    expect(fingerprint(home)).toEqual(before)
  }) // G12

  it('says so when it was imported before, and refuses a team that is another one', async () => {
    putTeam()
    await cli.ok('team import shop --claude web')
    const again = await cli.run('team import shop --claude web')
    expect([again.code, again.stderr]).toEqual([
      0,
      expect.stringMatching(/imported from Claude Code's web before\. Nothing was imported/),
    ])
    expect((await cli.json('team import shop --claude web')).imported).toBe(null)
    expect(await cli.json('inbox ada --team shop')).toHaveLength(2)
    await cli.ok('team create other')
    expect(await cli.refused('team import other --claude web')).toBe('wrong_state')
  }) // G12

  it('reads the folder of CLAUDE_CONFIG_DIR', async () => {
    const other = join(cli.dir, '..', 'elsewhere')
    putTeam(other)
    const env = { ...cli.env, CLAUDE_CONFIG_DIR: other }
    expect((await cli.json('team import --claude web', { env })).imported).toMatchObject({ messages: 3 })
    expect(await cli.refused('team import --claude web')).toBe('unknown_team')
  }) // G12

  it('breaks a circle of tasks at one step, which it names, and keeps all tasks', async () => {
    for (const [id, other] of [
      ['1', '3'],
      ['2', '1'],
      ['3', '2'],
      ['4', '4'],
    ])
      put(`tasks/ring/${id}.json`, { id, subject: `task ${id}`, status: 'pending', blockedBy: [other] })
    const { imported } = await cli.json('team import --claude ring')
    expect(imported.tasks).toBe(4)
    expect(imported.left).toEqual([
      ...['task 3 waits for 2: they wait for each other', 'task 4 waits for 4: they wait for each other'],
    ])
  }) // G12

  it('names each file that is hostile, and imports the others', async () => {
    putTeam()
    put('../secret.json', [message('not yours')])
    symlinkSync(join(home, '..', 'secret.json'), join(home, 'teams/web/inboxes/bob.json'))
    execFileSync('mkfifo', [join(home, 'tasks/web/9.json')])
    put('tasks/web/10.json', `{"id":"10","subject":${'['.repeat(100_000)}`)
    put('tasks/web/11.json', `{"id":"11","subject":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)
    put('tasks/web/12.json', new Uint8Array([0x7b, 0xff, 0x7d]))
    put('tasks/web/13.json', ' '.repeat(17 * 1024 * 1024))
    put('tasks/web/14.json', {
      id: 14,
      subject: 'wrong types',
      description: 7,
      blockedBy: 'all',
      owner: {},
      status: [],
    })
    put('tasks/web/notes.txt', 'x')
    put('teams/web/inboxes/lead.json', { a: 1 })
    put('teams/web/inboxes/team-lead.json', [message('ok'), 5, { from: 'x' }, null])
    const { imported } = await cli.json('team import --claude web')
    const left = imported.left.join('\n')
    for (const name of ['bob.json', '9.json', '10.json', '11.json', '12.json', '13.json', 'notes.txt', 'lead.json'])
      expect(left).toContain(`/${name}: `)
    expect(left).toMatch(/14\.json: its description is not a text[\s\S]*14\.json: its blockedBy is not a list/)
    expect(left).toMatch(/team-lead\.json: message 2 has no text/)
    expect(imported.tasks).toBe(3)
    expect(await cli.ok('log --team web')).not.toContain('not yours')
  }) // G12

  it('takes no name that is a path, and no member whose name is one', async () => {
    for (const name of ['../web', 'a/b', '..', '.', 'a\\b'])
      expect((await cli.run(['team', 'import', '--claude', name])).code).toBe(2)
    putTeam()
    expect((await cli.run(['team', 'show', '--claude', '../teams/web'])).code).toBe(2)
    put('teams/my team/config.json', { members: [{ name: '../../ada' }, { name: 'bob' }] })
    const { code, stderr } = await cli.run(['team', 'import', '--claude', 'my team'])
    expect([code, stderr]).toEqual([2, expect.stringContaining("deskmates team import NEWNAME --claude 'my team'")])
    const { imported } = await cli.json(['team', 'import', 'mine', '--claude', 'my team'])
    expect([imported.members, imported.left.join()]).toEqual([1, expect.stringContaining('"../../ada"')])
  }) // G12
})

describe('the view of Claude Code teams', () => {
  it('lists teams and task lists, and shows one with board and mail, without writing anything', async () => {
    putTeam()
    put('tasks/alone/1.json', { id: '1', subject: 'a list without a team', status: 'pending' })
    symlinkSync('/etc', join(home, 'teams', 'linked'))
    const before = fingerprint(home)
    expect(await cli.json('team list --claude')).toEqual([
      { name: 'alone', description: '', members: 0, openTasks: 1, unread: 0 },
      { name: 'web', description: 'the shop', members: 3, openTasks: 2, unread: 5 },
    ])
    const shown = await cli.json('team show --claude web')
    expect(shown).toMatchObject({ name: 'web', tasks: [{ id: '1', owner: 'ada' }, { id: '2' }, { id: '3' }] })
    expect(shown.mail).toHaveLength(6)
    const text = await cli.ok('team show --claude web')
    expect(text).toMatch(/Build the page\./)
    expect(await cli.ok('team list --claude')).toMatch(/web .*the shop/)
    expect(await cli.refused('team show --claude linked')).toBe('unknown_team')
    expect(fingerprint(home)).toEqual(before)
    expect(() => readdirSync(join(cli.dir, '.teams'))).toThrow('ENOENT')
  }) // G12

  it('prints neither secrets nor terminal escapes of those files', async () => {
    const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'
    put('teams/web/config.json', { members: [{ name: 'a\u001b[2J' }] })
    put('teams/web/inboxes/ada.json', [message(`the key is ${key} \u001b]0;x\u0007`)])
    const text = await cli.ok('team show --claude web')
    expect(text).toContain('the key is [redacted]')
    expect(text).not.toMatch(new RegExp(`${key}|\\u001b`))
  }) // G12
})
