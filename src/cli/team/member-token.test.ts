import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { openTeam } from '../../journal/team-handle.ts'
import { openWorkspace } from '../../workspace.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

const journal = (team = 'default') => cli.read('.teams', team, 'journal.jsonl')
const join_ = async (name: string): Promise<string> => (await cli.json(`team join ${name} --role dev`)).tokenFile
const tokenIn = (file: string) => readFileSync(file, 'utf8').trim()
/** Another user of the same journal: its state folder has no token. */
const elsewhere = (token?: string) => ({
  env: {
    ...cli.env,
    DESKMATES_STATE: join(cli.dir, '..', 'other-state'),
    DESKMATES_TRUST: '1',
    ...(token !== undefined && { DESKMATES_MEMBER_TOKEN: token }),
  },
})

/** Every command that acts as a member, in an order in which each would be accepted. */
const ACTING = [
  'task add one --as ci',
  'task update 1 --subject two --as ci',
  'task claim 1 --as ci --lease 10m',
  'task renew 1 --as ci',
  'task release 1 --as ci',
  'task claim 1 --as ci',
  'task fail 1 --as ci --reason broken',
  'task complete 2 --as ci',
  'send lead hello --from ci',
  'send all hello --from ci',
  'send lead plan --from ci --type plan_approval_request',
  'answer r2 approve --as ci',
  'inbox ci --take',
]

async function prepareBoard(): Promise<void> {
  await cli.ok('task add zero')
  await cli.ok('task update 1 --status deleted')
}

describe('the token of a member', () => {
  it('is kept in a file of this user, and only its hash in the journal', async () => {
    const file = await join_('ci')
    const token = tokenIn(file)
    expect(token).toMatch(/^dmt_[\w-]{43}$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700)
    expect(file.startsWith(join(cli.env.DESKMATES_STATE ?? '', 'tokens'))).toBe(true)
    expect(journal()).not.toContain(token)
    expect(journal()).toMatch(/"type":"token.issued","member":"ci","hash":"[0-9a-f]{64}"/)
    expect(cli.read('.teams', 'default', 'config.json')).not.toMatch(/dmt_|hash/)
    expect(await cli.ok('log')).toContain('ci got a new token')
  })

  it('is asked for by every command that acts as a member', async () => {
    await join_('ci')
    await prepareBoard()
    const before = journal()
    for (const line of ACTING) {
      expect([line, await cli.refused(line, elsewhere())]).toEqual([line, 'wrong_token'])
      expect([line, await cli.refused(line, elsewhere('dmt_wrong'))]).toEqual([line, 'wrong_token'])
    }
    expect(journal(), 'nothing was written').toBe(before)
  })

  it('is void when its member has left, and its file goes with the team', async () => {
    const state = () => readdirSync(join(cli.env.DESKMATES_STATE ?? '', 'tokens'))
    const token = tokenIn(await join_('ci'))
    await cli.ok('team leave ci')
    const again = tokenIn(await join_('ci'))
    expect(again).not.toBe(token)
    expect(await cli.refused('task add one --as ci', elsewhere(token))).toBe('wrong_token')
    await cli.ok('team create web')
    const other = (await cli.json('team join ci --role dev --team web')).tokenFile
    expect(state()).toHaveLength(2)
    await cli.ok('team delete default')
    expect(state()).toEqual([expect.stringMatching(/^web-/)])
    expect(tokenIn(other)).toMatch(/^dmt_/)
    await cli.ok('team delete web --purge')
    expect(state()).toEqual([])
  })

  it('lets this user act without naming it, and another one with DESKMATES_MEMBER_TOKEN', async () => {
    const token = tokenIn(await join_('ci'))
    await cli.ok('task add one --as ci')
    await cli.ok('task claim 1 --as CI')
    await cli.ok('task complete 1 --as ci', elsewhere(`${token}\n`))
    await cli.ok('send ci hello')
    expect(await cli.json('inbox ci --take', elsewhere(token))).toMatchObject([{ content: 'hello' }])
    expect(await cli.json('inbox ci --take', elsewhere(token))).toEqual([])
  })

  it('of one member does not let its holder act as another one', async () => {
    const [ci, ada] = [tokenIn(await join_('ci')), tokenIn(await join_('ada'))]
    expect(ci).not.toBe(ada)
    expect(await cli.refused('send lead hi --from ada', elsewhere(ci))).toBe('wrong_token')
    expect(await cli.ok('send lead hi --from ada', elsewhere(ada))).toBe('lead: queued\n')
    const set = { env: { ...cli.env, DESKMATES_MEMBER_TOKEN: ci } }
    expect(await cli.refused('send lead hi --from ada', set), 'a variable wins over the file').toBe('wrong_token')
  })

  it('is needed by people too, and for a repeated command', async () => {
    await cli.ok('team join grace --role person --kind human')
    expect(await cli.refused('send lead hi --from grace', elsewhere())).toBe('wrong_token')
    await cli.ok('send lead hi --from grace --command-id once')
    await cli.ok('team leave grace')
    expect(await cli.ok('send lead hi --from grace --command-id once')).toBe('lead: queued\n')
    expect(await cli.refused('send lead hi --from grace --command-id once', elsewhere())).toBe('wrong_token')
  })

  it('says how to get a new one, and following that works', async () => {
    const file = await join_('ci')
    const old = tokenIn(file)
    rmSync(file)
    const { stderr, code } = await cli.run('send lead hi --from ci')
    expect(code).toBe(1)
    const [, advice = ''] = /(team join ci --renew-token)/.exec(stderr) ?? []
    const renewed = await cli.json(advice)
    expect(await cli.ok('send lead hi --from ci')).toBe('lead: queued\n')
    expect(await cli.refused('send lead hi --from ci', elsewhere(old)), 'the old token is void').toBe('wrong_token')
    expect(await cli.ok('send lead hi --from ci', elsewhere(tokenIn(renewed.tokenFile)))).toBe('lead: queued\n')
    expect(journal().match(/token\.issued/g)).toHaveLength(2)
  })

  it('is replaced when a member joins again, and kept when it is already in the team', async () => {
    const first = await join_('ci')
    const again = await join_('ci')
    expect(again).toBe(first)
    await cli.ok('team leave ci')
    const second = await join_('ci')
    expect(second).not.toBe(first)
    expect(readdirSync(join(second, '..'))).toHaveLength(1)
    expect(await cli.ok('send lead hi --from ci')).toBe('lead: queued\n')
  })

  it('is not issued to agents, to unknown names or by agents', async () => {
    await join_('ci')
    expect(await cli.refused('team join lead --renew-token')).toBe('not_allowed')
    expect(await cli.refused('team join ghost --renew-token')).toBe('unknown_member')
    const agent = { env: { ...cli.env, DESKMATES_AGENT: 'ada' } }
    expect(await cli.refused('team join ci --renew-token', agent)).toBe('agents_use_tools')
    expect((await cli.run('team join ci')).code).toBe(2)
  })

  it('is not printed: output and journal show it as redacted', async () => {
    const token = tokenIn(await join_('ci'))
    await cli.ok(['send', 'lead', `my token is ${token}`, '--from', 'ci'], elsewhere(token))
    expect(journal()).not.toContain(token)
    writeFileSync(
      join(cli.dir, '.teams', 'default', 'inbox', 'lead.jsonl'),
      `{"type":"message","from":"x","content":"${token}"}\n`,
    )
    expect(await cli.ok('inbox lead')).not.toContain(token)
  })

  it('is missing for members that joined before there were tokens, which act until one is issued', async () => {
    await using workspace = await openWorkspace({ cwd: cli.dir, env: cli.env })
    const team = await openTeam(workspace.store, 'default')
    await team.run({ type: 'team.create', team: 'default' })
    await team.run({ type: 'member.join', name: 'old', role: 'dev' })
    await team.close()
    expect(await cli.ok('send lead hi --from old', elsewhere())).toBe('lead: queued\n')
    await cli.ok('team join old --renew-token')
    expect(await cli.refused('send lead hi --from old', elsewhere())).toBe('wrong_token')
  })
})
