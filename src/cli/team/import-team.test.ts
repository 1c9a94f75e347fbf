import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

function write(path: string, content: unknown): void {
  mkdirSync(join(cli.dir, path, '..'), { recursive: true })
  writeFileSync(join(cli.dir, path), typeof content === 'string' ? content : JSON.stringify(content))
}

describe('team create --from', () => {
  it('keeps roles of free words, and names each that cannot be kept', async () => {
    write('.team/config.json', {
      members: [{ name: 'alice', role: 'frontend dev' }, { name: 'bob', role: 'one\nline' }, { name: 'cleo' }],
    })
    const { members, imported } = await cli.json('team create old --from .team')
    const roles = members.map(({ name, role }: { name: string; role: string }) => `${name}: ${role}`)
    expect(roles).toEqual(expect.arrayContaining(['alice: frontend dev', 'bob: member', 'cleo: member']))
    expect(imported.left).toEqual([expect.stringMatching(/^role of bob, who joined as member: .*is not a role/)])
  }) // T29

  it('brings in the unread mail of inboxes that are JSON lists, and names what it left', async () => {
    write('claude/config.json', { members: [{ name: 'team-lead', agentType: 'team-lead' }, { name: 'ada' }] })
    write('claude/inboxes/ada.json', [
      { from: 'team-lead', text: 'seen', timestamp: '2026-01-01T00:00:00.000Z', read: true },
      { from: 'team-lead', text: 'Build the page.', timestamp: '2026-01-01T00:00:01.000Z', read: false },
    ])
    write('claude/inboxes/team-lead.json', [{ from: 'ada', text: 'Which page?', read: false }])
    write('claude/inboxes/gone.json', [{ from: 'ada', text: 'lost?' }])
    write('claude/inboxes/broken.json', '[{"from":')
    write('claude/inboxes/../config.json', { members: [{ name: 'team-lead' }, { name: 'ada' }, { name: 'broken' }] })
    const { imported } = await cli.json('team create web --from claude')
    expect(imported).toMatchObject({ members: 2, messages: 2 })
    expect(imported.left.join('\n')).toMatch(/ada\.json: 1 message read before/)
    expect(imported.left.join('\n')).toMatch(/gone\.json: no member is called "gone"/)
    expect(imported.left.join('\n')).toMatch(/broken\.json: /)
    const mail = await cli.json('inbox ada --team web')
    expect(mail.map(({ content }: { content: string }) => content)).toEqual(['Build the page.'])
  }) // T29
})

describe('a role on the command line', () => {
  it('is free words for join and tasks, and a claim goes by it', async () => {
    await cli.ok(['team', 'join', 'ada', '--role', 'frontend dev'])
    await cli.ok(['task', 'add', 'page', '--role', 'Frontend  Dev'])
    expect(await cli.json('task claim --as ada')).toMatchObject({ id: '1' })
    await cli.ok(['task', 'update', '1', '--role', 'load tester'])
    expect((await cli.run(['team', 'join', 'bob', '--role', 'a\nb'])).code).toBe(2)
  }) // T29
})
