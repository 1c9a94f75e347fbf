import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { openTeam } from '../../journal/team-handle.ts'
import { openFileStore } from '../../stores/files/store.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

describe('team create', () => {
  it('makes a described team with a lead, and says so when it is there already', async () => {
    const team = {
      name: 'web',
      description: 'the shop',
      members: [{ name: 'lead', role: 'lead', kind: 'agent', status: 'idle', generation: 0 }],
    }
    expect(await cli.json(['team', 'create', 'web', '--description', 'the shop'])).toEqual(team)
    const again = await cli.run('team create web --description other')
    expect(again).toMatchObject({ code: 0, stderr: 'Team web already exists.\n' })
    expect(await cli.json('team show web')).toEqual(team)
  }) // A58, C14

  it('makes no other team than default by itself, and names those there are', async () => {
    await cli.ok('team create web')
    const { code, stderr } = await cli.run('task add x --team shop')
    expect(code).toBe(1)
    expect(stderr).toContain('Teams here: web.')
    expect(stderr).toContain('deskmates team create shop')
    for (const words of ['team join a --role b --team shop', 'send lead x --team shop', 'inbox lead --team shop'])
      expect(await cli.refused(words)).toBe('unknown_team')
    expect(existsSync(join(cli.dir, '.teams', 'shop'))).toBe(false)
  }) // A60

  it('finishes a deletion that was cut short', async () => {
    await cli.ok('task add old')
    await using store = await openFileStore({ dir: cli.dir })
    const team = await openTeam(store, 'default')
    await team.run({ type: 'team.delete' })
    await team.close()
    expect(await cli.json('team list')).toEqual([])
    expect(await cli.refused('team show')).toBe('unknown_team')
    expect(await cli.json('task add new')).toMatchObject({ id: '1', subject: 'new' })
  })
})

describe('the default team', () => {
  it('comes to be by the first write, not by looking and not by what is refused', async () => {
    for (const words of ['task list', 'requests', 'log', 'inbox user', 'check', 'team list', 'task list --ready'])
      await cli.ok(words)
    expect(await cli.refused('team show')).toBe('unknown_team')
    for (const words of ['send ghost hi', 'task add x --blocked-by 1', 'team join lead --role x', 'task add x --as ci'])
      expect((await cli.run(words)).code).toBe(1)
    expect(existsSync(join(cli.dir, '.teams'))).toBe(false)
    await cli.ok('team join ci --role tester')
    expect(await cli.json('team show')).toMatchObject({ name: 'default' })
  })

  it('shows its roster and one mailbox per member, the lead’s too, in files that follow every change', async () => {
    const roster = () => JSON.parse(cli.read('.teams/default/config.json'))
    const lines = (name: string) =>
      cli
        .read(`.teams/default/inbox/${name}.jsonl`)
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    await cli.ok('team join ci --role tester')
    await cli.ok('send lead hello')
    await cli.ok('send ci hi')
    expect(roster()).toMatchObject({ team: 'default', members: [{ name: 'lead', role: 'lead', status: 'idle' }, {}] })
    expect(roster().members[1]).toMatchObject({ name: 'ci', role: 'tester', status: 'idle' })
    expect(lines('lead')).toMatchObject([{ type: 'message', from: 'user', to: 'lead', content: 'hello' }])
    await cli.ok('send lead again')
    expect(lines('lead').map(({ content }) => content)).toEqual(['hello', 'again'])
    await cli.ok('inbox ci --take')
    expect(lines('ci')).toEqual([])
    await cli.ok('team leave ci')
    expect(roster().members[1]).toMatchObject({ name: 'ci', status: 'stopped' })
  }) // B2, B3, D2
})

describe('team list and show', () => {
  it('say what there is, or that there is nothing', async () => {
    expect(await cli.run('team list')).toEqual({ code: 0, stdout: '', stderr: 'No teams.\n' })
    await cli.ok(['team', 'create', 'web', '--description', 'the shop'])
    await cli.ok('team join ci --role tester --team web')
    await cli.ok('team join zoe --role boss --kind human --team web')
    await cli.ok('task add x --team web')
    await cli.ok('team create ops')
    expect(await cli.json('team list')).toEqual([
      { name: 'ops', description: '', members: 1, openTasks: 0 },
      { name: 'web', description: 'the shop', members: 3, openTasks: 1 },
    ])
    expect(await cli.ok('team list')).toBe('ops  1  0\nweb  3  1  the shop\n')
    expect((await cli.run('team list', { isTerminal: true })).stdout).toContain('OPEN TASKS')
    expect((await cli.json('team show web')).members.slice(1)).toEqual([
      { name: 'ci', role: 'tester', kind: 'external', status: 'idle', generation: 1 },
      { name: 'zoe', role: 'boss', kind: 'human', status: 'idle', generation: 1 },
    ])
    expect(await cli.ok('--team web team show')).toContain('zoe   human     idle  boss')
  }) // A59, A61, A62, B16

  it('use colours only for people, and never against NO_COLOR', async () => {
    await cli.ok('team create web')
    const shown = async (env: NodeJS.ProcessEnv) =>
      (await cli.run('team show web', { isTerminal: true, env: { ...cli.env, ...env } })).stdout
    expect(await shown({})).toContain('\u001b[')
    expect(await shown({ NO_COLOR: '1' })).not.toContain('\u001b[')
    expect(await cli.ok('team show web')).not.toContain('\u001b[')
  })
})

describe('team leave', () => {
  it('releases the claim, returns unread mail, and stays left until the next join', async () => {
    await cli.ok('team join ci --role tester')
    await cli.ok('task add x')
    await cli.ok('task claim --as ci')
    await cli.ok('send ci hello')
    const { stderr } = await cli.run('team leave ci')
    expect(stderr).toContain('1 unread returned')
    expect(await cli.json('task show 1')).toMatchObject({ status: 'pending', owner: null, attempts: 1 })
    expect(await cli.json('inbox user')).toMatchObject([{ type: 'error', from: 'ci' }])
    expect(await cli.refused('task claim --as ci')).toBe('member_stopped')
    expect(await cli.refused('send ci again')).toBe('member_stopped')
    expect(await cli.refused('inbox ci')).toBe('member_stopped')
    expect(await cli.json('team join ci --role tester')).toMatchObject({ generation: 2, status: 'idle' })
    expect(await cli.json('inbox ci')).toEqual([])
    expect(await cli.refused('team leave lead')).toBe('not_allowed')
    expect(await cli.refused('team leave stranger')).toBe('unknown_member')
  }) // F11, F14, F32
})

describe('a next step', () => {
  it('names the team it is meant for, unless that is meant anyway', async () => {
    const made = await cli.run('team create shop', { isTerminal: true })
    expect(made.stderr).toContain("deskmates task add 'what to do' --team shop")
    const words = 'task claim --as ci --team shop'
    expect((await cli.run(words)).stderr).toContain('deskmates team join ci --role ROLE --team shop (')
    expect((await cli.run('task show 9 --team shop')).stderr).toContain('See: deskmates task list --team shop\n')
    expect((await cli.run('status')).stderr).toContain(
      'There is no team default. Teams here: shop. Name one with --team.',
    )
    const env = { ...cli.env, DESKMATES_TEAM: 'shop' }
    expect((await cli.run(words, { env })).stderr).toContain('deskmates team join ci --role ROLE (')
    await cli.ok('team join ci --role tester --team shop')
    const asked = await cli.ok('send ci stop --type shutdown_request --team shop')
    expect(asked).toContain('see: deskmates requests --team shop\n')
  })
})

describe('team delete', () => {
  it('tells the members, puts team and board away, and the same name starts fresh', async () => {
    await cli.ok('team create web')
    await cli.ok('team join ci --role tester --team web')
    await cli.ok('task add x --team web')
    expect(await cli.json('team delete WEB')).toEqual({
      name: 'web',
      deleted: true,
      purged: false,
      notified: ['lead', 'ci'],
      stopped: [],
      openTasks: ['1'],
    })
    expect(await cli.refused('team show web')).toBe('unknown_team')
    expect(await cli.refused('team delete web')).toBe('unknown_team')
    const [away] = readdirSync(join(cli.dir, '.teams', '.deleted'))
    expect(away).toMatch(/^web-/)
    expect(cli.read('.teams', '.deleted', away!, 'team', 'inbox', 'ci.jsonl')).toContain('being deleted')
    await cli.ok('team create web')
    expect(await cli.json('task add y --team web')).toMatchObject({ id: '1' })
    expect(await cli.ok('team delete web --purge')).toContain('Left open: 1 task (1).\n')
    expect(readdirSync(join(cli.dir, '.teams', '.deleted'))).toEqual([away])
  }) // A63

  it('is refused while a process runs the team', async () => {
    await cli.ok('team create web')
    await using store = await openFileStore({ dir: cli.dir })
    const team = await openTeam(store, 'web')
    // Another machine: this one cannot know that it is gone.
    const runtime = `r-${'0'.repeat(12)}-${'0'.repeat(12)}-1-4711-1`
    await team.run({ type: 'supervise', runtime })
    await team.close()
    const { code, stderr } = await cli.run('team delete web')
    expect(code).toBe(1)
    expect(stderr).toContain('is run by process 4711, on another machine or in another container,')
    expect(await cli.refused('check --repair --team web')).toBe('supervised')
  })
})

describe('--as and --from', () => {
  it('take joined scripts and people, never an agent', async () => {
    await cli.ok('team join ci --role tester')
    await cli.ok('task add x')
    for (const words of [
      'task claim --as lead',
      'task add y --as Lead',
      'send ci hi --from lead',
      'task release 1 --as lead --force',
      'answer r1 approve --as lead',
    ])
      expect(await cli.refused(words)).toBe('not_allowed')
    for (const words of ['task claim --as ghost', 'send ci hi --from ghost'])
      expect(await cli.refused(words)).toBe('unknown_member')
    expect(await cli.json('send lead hi --from CI')).toMatchObject({ from: 'ci' })
    expect(await cli.json('task add z --as ci')).toMatchObject({ createdBy: 'ci' })
    expect(await cli.json('task add z --as user')).toMatchObject({ createdBy: 'user' })
    expect((await cli.run('task claim --as user')).code).toBe(1)
  }) // F5
})

describe('trust', () => {
  const elsewhere = () => ({ env: { ...cli.env, DESKMATES_STATE: join(cli.dir, '..', 'another-state') } })

  it('is needed to write to a journal made elsewhere, which can be read', async () => {
    await cli.ok('task add x')
    await cli.ok('team create web')
    const stranger = elsewhere()
    expect(await cli.json('task list', stranger)).toHaveLength(1)
    writeFileSync(join(cli.dir, '.teams', 'default', 'inbox', 'lead.jsonl'), '{"from":"ci","content":"red"}\n')
    expect(await cli.json('inbox lead', stranger)).toEqual([])
    for (const words of ['task add y', 'send lead hi', 'check --repair'])
      expect(await cli.refused(words, stranger)).toBe('untrusted_journal')
    expect((await cli.run('task add y', stranger)).stderr).toContain('deskmates trust --team default')
    const one = await cli.json('trust --team default', stranger)
    expect(one).toMatchObject({ folder: null, teams: [{ name: 'default' }] })
    await cli.ok('task add y', stranger)
    expect(await cli.refused('task add y --team web', stranger)).toBe('untrusted_journal')
    const all = await cli.json('trust', stranger)
    expect(all.folder.path).toBe(cli.dir)
    expect(all.teams.map(({ name }: { name: string }) => name)).toEqual(['default', 'web'])
    await cli.ok('task add y --team web', stranger)
    expect(await cli.refused('trust --team none', stranger)).toBe('unknown_team')
  })
})

describe('team delete', () => {
  it('counts who was told, also where it was one', async () => {
    await cli.ok('team create shop')
    expect(await cli.ok('team delete shop')).toContain('Team shop deleted, 1 member notified;')
  })
})

describe('team create --from', () => {
  it('brings in members, mail and open tasks of the old layout, and lists what it left', async () => {
    const old = join(cli.dir, '.team')
    mkdirSync(join(old, 'inbox'), { recursive: true })
    const members = [
      { name: 'lead', role: 'lead', status: 'active' },
      { name: 'alice', role: 'coder', status: 'shutdown' },
      { name: '../x', role: 'x' },
    ]
    writeFileSync(join(old, 'config.json'), JSON.stringify({ team_name: 'default', members }))
    const line = { type: 'message', sender: 'lead', content: 'hello', timestamp: 1.5 }
    writeFileSync(join(old, 'inbox', 'alice.jsonl'), `${JSON.stringify(line)}\n{broken\n`)
    writeFileSync(join(old, 'inbox', 'ghost.jsonl'), `${JSON.stringify(line)}\n`)
    mkdirSync(join(cli.dir, '.tasks'))
    const tasks = [
      { id: '2', subject: 'two', status: 'in_progress', owner: 'alice', blocked_by: ['10'] },
      { id: '10', subject: 'ten', description: 'd', status: 'pending', owner: '', blocks: ['2'] },
      { id: '1', subject: 'one', status: 'completed' },
    ]
    for (const task of tasks) writeFileSync(join(cli.dir, '.tasks', `task_${task.id}.json`), JSON.stringify(task))
    writeFileSync(join(cli.dir, '.tasks', 'task_3.json'), '{')
    const made = await cli.json('team create shop --from .team')
    expect(made.members.map(({ name, role }: { name: string; role: string }) => [name, role])).toEqual([
      ['lead', 'lead'],
      ['alice', 'coder'],
    ])
    expect(made.imported).toMatchObject({ members: 1, messages: 1, tasks: 2 })
    const left = made.imported.left.join('\n')
    for (const word of ['../x', 'ghost', 'task 1: already completed', 'task_3.json', 'a line for alice'])
      expect(left).toContain(word)
    expect(await cli.json('inbox alice --team shop')).toMatchObject([
      { type: 'message', from: 'lead', content: 'hello', timestamp: 1.5, external: true },
    ])
    expect(await cli.json('task list --team shop')).toMatchObject([
      { id: '1', subject: 'two', assignee: 'alice', blockedBy: ['2'] },
      { id: '2', subject: 'ten', description: 'd', assignee: null, blocks: ['1'] },
    ])
    expect(await cli.refused('team create shop --from .team')).toBe('wrong_state')
    rmSync(old, { recursive: true })
    expect(await cli.refused('team create other --from .team')).toBe('invalid')
  }) // A39, A49, A64

  it('makes no team from a folder that is not there or is none of a team', async () => {
    mkdirSync(join(cli.dir, 'empty'))
    mkdirSync(join(cli.dir, 'else'))
    writeFileSync(join(cli.dir, 'else', 'config.json'), '{"port":8080}')
    for (const [folder, what] of [
      ['missing', 'is not there'],
      ['empty', 'holds neither inbox/ nor a config.json with members'],
      ['else', 'holds neither inbox/ nor a config.json with members'],
    ]) {
      const { code, stderr } = await cli.run(`team create shop --from ${folder}`)
      expect([code, stderr]).toEqual([1, expect.stringContaining(`${join(cli.dir, folder!)} ${what}`)])
      expect(existsSync(join(cli.dir, '.teams')), folder).toBe(false)
    }
  })

  it('counts what it brought in, also where it is one of each', async () => {
    mkdirSync(join(cli.dir, '.team'))
    writeFileSync(join(cli.dir, '.team', 'config.json'), '{"members":[{"name":"ada","role":"dev"}]}')
    const { stderr } = await cli.run('team create shop --from .team')
    expect(stderr).toContain('Imported: 1 member, 0 messages, 0 tasks.')
  })

  it('does not bring the default team its mail twice', async () => {
    mkdirSync(join(cli.dir, '.team', 'inbox'), { recursive: true })
    writeFileSync(join(cli.dir, '.team', 'inbox', 'lead.jsonl'), '{"sender":"bob","content":"hi"}\n')
    expect((await cli.json('team create default --from .team')).imported.messages).toBe(1)
    expect(await cli.json('inbox lead')).toHaveLength(1)
  })
})
