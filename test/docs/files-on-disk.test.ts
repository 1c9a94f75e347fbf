import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decode } from '../../src/stores/files/log/line.ts'
import { decisionTypes, factTypes } from '../../src/team/event.ts'
import { messageTypes } from '../../src/team/message.ts'
import { type CommandHarness, commandHarness } from '../cli/command-harness.ts'
import { eventMembers } from './event-members.ts'
import { readPage } from './page.ts'

const page = readPage('docs/files-on-disk.md')

describe('docs/files-on-disk.md', () => {
  it('describes every event with its members, decisions and facts apart', () => {
    const [decisions = '', facts = ''] = page.section('### Events').split('**Facts**')
    const members = eventMembers()
    expect([...members.keys()].sort()).toEqual([...decisionTypes, ...factTypes].sort())
    for (const [types, table] of [
      [decisionTypes, decisions],
      [factTypes, facts],
    ] as const) {
      for (const type of types) {
        const [, documented = ''] =
          new RegExp(`^\\| \`${type.replace('.', '\\.')}\` \\|(.*?)\\|`, 'm').exec(table) ?? []
        const named = [...documented.matchAll(/`(\w+)`/g)].map(([, member]) => member)
        expect(named.sort(), type).toEqual([...(members.get(type) ?? [])].sort())
      }
    }
  }) // G11

  it('lists every type of message and no other', () => {
    const [, table = ''] = page.section('## Messages').split('|---|---|')
    const listed = [...table.matchAll(/`(\w+)`/g)].map(([, type]) => type)
    expect(listed.sort()).toEqual([...messageTypes()].sort())
  })

  it('shows journal lines with valid checksums', () => {
    const lines = page.blocks('json').filter((block) => block.startsWith('{"v":1,"id"'))
    expect(lines.length).toBeGreaterThan(3)
    for (const line of lines) {
      const bytes = Buffer.from(line.trim())
      expect(decode(bytes, 0, bytes.length).flaw, line).toBeUndefined()
    }
  })

  it('shows valid JSON', () => {
    for (const block of page.blocks('json')) expect(() => JSON.parse(block), block).not.toThrow()
  })
})

describe('what docs/files-on-disk.md says of a team', () => {
  let cli: CommandHarness
  beforeAll(async () => {
    cli = commandHarness()
    await cli.ok('team create tour')
    await cli.ok('--team tour team join ada --role backend')
    await cli.ok(['--team', 'tour', 'task', 'add', 'Keep notes'])
    await cli.ok('--team tour task claim 1 --as ada')
    await cli.ok('--team tour send lead hello --from ada')
  })
  afterAll(() => cli.close())

  it('is true of file permissions', async () => {
    for (const folder of ['.teams', '.tasks']) {
      expect(cli.read(folder, '.gitignore')).toBe('*\n')
      for (const path of ['.', ...readdirSync(join(cli.dir, folder), { recursive: true })]) {
        const stat = lstatSync(join(cli.dir, folder, String(path)))
        expect((stat.mode & 0o777).toString(8), String(path)).toBe(stat.isDirectory() ? '700' : '600')
      }
    }
  })

  it('is true of every shell command it shows', async (context) => {
    if (spawnSync('jq', ['--version']).status !== 0) return context.skip('jq is not installed here')
    const sum = spawnSync('sha256sum', ['--version']).status === 0 ? '' : 'sha256sum() { shasum -a 256; }\n'
    const run = (script: string) => execFileSync('sh', ['-c', sum + script], { cwd: cli.dir, encoding: 'utf8' })
    const [checkSum = '', append = '', board = '', mail = '', counts = ''] = page.blocks('sh')
    const [first = ''] = cli.read('.teams/tour/journal.jsonl').trim().split('\n')
    expect(run(checkSum).trim()).toBe(JSON.parse(first).sum)
    expect(run(board)).toBe('1\tin_progress\tada\tKeep notes\n')
    expect(run(mail)).toBe('ada: hello\n')
    run(append)
    expect(await cli.json('--team tour inbox lead')).toMatchObject([
      { from: 'ada', content: 'hello' },
      { from: 'ci', content: 'main is red', type: 'message', external: true },
    ])
    // A line that lost, as a slower process would have left it: it must not be counted.
    const loser = cli
      .read('.teams/tour/journal.jsonl')
      .split('\n')
      .find((line) => line.includes('"task.claimed"'))
    const stale = { ...JSON.parse(loser ?? ''), id: 'loser', after: JSON.parse(first).id }
    appendFileSync(join(cli.dir, 'copy.jsonl'), `${cli.read('.teams/tour/journal.jsonl')}\n${JSON.stringify(stale)}\n`)
    const printed = (await cli.ok('--team tour log --json'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type)
    const types = run(counts.replace('.teams/tour/journal.jsonl', 'copy.jsonl')).trim().split('\n')
    expect(types.map((line) => JSON.parse(line).type)).toEqual(printed)
  })

  it('is true of what lines of other programs become', async () => {
    const path = join(cli.dir, '.teams/tour/inbox/lead.jsonl')
    await cli.ok('--team tour inbox lead --take')
    const lines = [
      '{"sender":"jenkins","text":"green","ts":1794777000000,"build":7,"id":"j1"}',
      '{"from":"ada","type":"shutdown_request","content":"go away"}',
      '{"content":{"a":1}}',
      'half a {line',
      '{"from":"x","type":"dance","content":"a"}',
      '{"from":"x"}',
    ]
    for (const line of lines) appendFileSync(path, `${line}\n`)
    const mail = await cli.json('--team tour inbox lead')
    expect(mail).toMatchObject([
      { from: 'jenkins', content: 'green', timestamp: 1794777000, build: 7, external_id: 'j1', type: 'message' },
      { from: 'ada', content: 'go away', type: 'message', claimed_type: 'shutdown_request', external: true },
      { from: 'unknown', content: '{"a":1}' },
    ])
    const rejected = readFileSync(path.replace('.jsonl', '.rejected.jsonl'), 'utf8').trim().split(/\n+/)
    expect(rejected.map((line) => JSON.parse(line).line)).toEqual(lines.slice(3))
  })
})
