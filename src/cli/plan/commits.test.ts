import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { header, task, writeLines } from '../../../test/cli/plan-files.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

const DEVELOPER = `scripted:${fileURLToPath(new URL('../../../test/cli/plan-developer.mjs', import.meta.url))}`
const CONFIG = '.yolo-planning/config.json'
const put = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
const setting = (text: string) => put(join(cli.env.HOME!, '.config/deskmates/settings.json'), text)
const config = (text: string) => put(join(cli.dir, CONFIG), text)
const run = (more = '', env: NodeJS.ProcessEnv = cli.env) =>
  cli.run([...`plan run p --permission-mode acceptEdits ${more} -m`.split(' ').filter(Boolean), DEVELOPER], { env })

/** The line that says whether the runtime commits, and why. */
const commitsLine = ({ stderr }: { stderr: string }) => /^Commits .*$/m.exec(stderr)?.[0]

type Organisation = 'absent' | 'off' | 'on' | 'untrusted'

async function organisation(kind: Organisation): Promise<void> {
  if (kind === 'absent') return
  await cli.ok(`org init engineering${kind === 'off' ? '' : ' --auto-commit'}`)
  if (kind !== 'untrusted') await cli.ok('trust')
}

const VALUES = [undefined, true, false]
const cases = (['absent', 'off', 'on', 'untrusted'] as const).flatMap((organisation) =>
  VALUES.flatMap((setting) => VALUES.map((config) => ({ organisation, setting, config }))),
)

/** By the documents: a setting wins over the organisation, and the planning configuration only switches off. */
function expected({ organisation, setting, config }: (typeof cases)[number]): RegExp {
  if (setting === false) return /^Commits off: team\.autoCommit is false in the settings\.$/
  if (config === false) return /^Commits off: auto_commit is false in \.yolo-planning\/config\.json\.$/
  if (setting) return /^Commits on: team\.autoCommit is true in the settings\.$/
  if (organisation === 'on') return /^Commits on: autoCommit is true in the organisation\.$/
  const also = config ? '; auto_commit of .yolo-planning/config.json can only switch them off' : '.'
  const why = {
    absent: 'team.autoCommit is not set',
    off: 'autoCommit is false in the organisation',
    untrusted: 'autoCommit of the organisation has no effect until you trust this folder with: deskmates trust',
  }[organisation]
  return new RegExp(`^Commits off: ${why}${also}`.replaceAll('.', '\\.'))
}

describe('the commits of plan run', { timeout: 60_000 }, () => {
  it.each(cases)(
    'follow setting $setting, planning file $config and an organisation that is $organisation',
    async (one) => {
      writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01'))
      if (one.setting !== undefined) setting(JSON.stringify({ team: { autoCommit: one.setting } }))
      if (one.config !== undefined) config(JSON.stringify({ auto_commit: one.config }))
      await organisation(one.organisation)
      const ran = await run('--sandbox off')
      expect([ran.code, commitsLine(ran)]).toEqual([0, expect.stringMatching(expected(one))])
    },
  ) // C8, C78

  it.each(['"false"', '0', '""', '"off"', '[]', '{}', 'null'])(
    'are not decided by a broken value: %s in any of the three files is an error, and nothing runs',
    async (value) => {
      writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01'), task('T1'))
      config(`{ "auto_commit": ${value} }`)
      const wrongConfig = await run('--sandbox off')
      expect([wrongConfig.code, wrongConfig.stderr]).toEqual([1, expect.stringMatching(/config\.json.*auto_commit/s)])
      config('{}')
      await cli.ok('org init engineering')
      const file = join(cli.dir, '.deskmates/organisation/organisation.yaml')
      const text = cli.read('.deskmates/organisation/organisation.yaml')
      writeFileSync(file, text.replace('autoCommit: false', `autoCommit: ${value}`))
      await cli.ok('trust')
      const wrongOrganisation = await run('--sandbox off')
      expect(wrongOrganisation.code).toBe(1)
      expect(wrongOrganisation.stderr).toMatch(/organisation\.yaml:\d+: "autoCommit" is .*Write autoCommit: true/)
      setting(`{ "team": { "autoCommit": ${value} } }`)
      const wrongSetting = await run('--sandbox off')
      expect([wrongSetting.code, wrongSetting.stderr]).toEqual([1, expect.stringContaining('team.autoCommit')])
      expect((await cli.run('team list --json')).stdout).not.toContain('phase-03')
    },
  ) // C8, C78, F40

  it('are made by the run and stand in the summary, and are not where the planning file says false', async ({
    skip,
  }) => {
    const env = { ...cli.env, PATH: process.env.PATH }
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
        ...{ cwd: cli.dir, encoding: 'utf8', env: { PATH: env.PATH, HOME: cli.env.HOME, GIT_CONFIG_NOSYSTEM: '1' } },
      }).trimEnd()
    git('init', '-q', '-b', 'main')
    git('commit', '-qm', 'first', '--allow-empty')
    setting('{ "team": { "autoCommit": true } }')
    writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01'), task('T1'), task('T2', { td: ['T1'] }))
    const { code, stderr } = await run('--sandbox auto', env)
    if (/without a sandbox/.test(stderr)) skip('bubblewrap does not work here')
    expect([code, stderr]).toEqual([0, expect.stringMatching(/\[COMMIT\] 03-01\/T1: [0-9a-f]{10} \(1 file\)/)])
    expect(git('log', '--name-only', '--format=%s').split('\n').filter(Boolean)).toEqual([
      '03-01/T2: Do T2',
      'src/T2.ts',
      '03-01/T1: Do T1',
      'src/T1.ts',
      'first',
    ])
    const { ch, dv } = JSON.parse(cli.read('p/03-01.summary.jsonl'))
    expect([ch, dv]).toEqual([git('log', '--reverse', '--abbrev=10', '--format=%h', '-2').split('\n'), []])
    config('{ "auto_commit": false }')
    writeLines(cli.dir, 'q/04-01.plan.jsonl', { ...header('01'), p: '04' }, task('T1', { f: ['src/later.ts'] }))
    const words = 'plan run q --permission-mode acceptEdits --sandbox auto -m'.split(' ')
    expect((await cli.run([...words, DEVELOPER], { env })).code).toBe(0)
    expect([git('rev-list', '--count', 'HEAD'), git('status', '--porcelain', 'src')]).toEqual(['3', '?? src/later.ts'])
    expect(JSON.parse(cli.read('q/04-01.summary.jsonl')).ch).toEqual([])
  }) // C38, C78

  it('and the mode are decided by the configuration of the workspace, wherever in it the command is given', async () => {
    execFileSync('git', ['init', '-q'], { cwd: cli.dir })
    config('{ "auto_commit": false, "team_mode": "teammate", "agent_teams": false }')
    mkdirSync(join(cli.dir, 'deep/er'), { recursive: true })
    writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01'))
    const inside = { cwd: join(cli.dir, 'deep/er') }
    expect(await cli.json('plan mode', inside)).toMatchObject({ team_mode: 'task', fallback_notice: true })
    const words = 'plan run ../../p --sandbox off -m'.split(' ')
    expect((await cli.run([...words, DEVELOPER], inside)).stderr).toContain('Commits off: auto_commit is false in')
    const named = await cli.run('plan mode --config none.json', inside)
    expect([named.code, named.stdout.split('\n')[0]]).toEqual([0, 'team_mode=task'])
    expect(named.stderr).toContain(`--config: ${join(cli.dir, 'deep/er/none.json')} does not exist`)
  }) // C3, C4
})
