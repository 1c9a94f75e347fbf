import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { openControl } from '../../session/control/open-control.ts'
import { composedModel } from '../../testing/harnesses/composed-model.ts'
import { until } from '../../testing/harnesses/control-contract.ts'
import { openWorkspace } from '../../workspace.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

describe('status', () => {
  it('draws what needs a person, every member and the board as the terminal does', async () => {
    await cli.ok('team join ci --role tester')
    await cli.ok(['task', 'add', 'Write the parser'])
    await cli.ok(['task', 'add', 'Use the parser', '--blocked-by', '1'])
    await cli.ok('task claim 1 --as ci')
    await cli.ok(['send', 'ci', 'mind the empty file'])
    cli.clock.advance(123)
    const working = await cli.ok('status default')
    expect(working).toMatch(/^default {2}at rest\n/)
    expect(working).toMatch(/ ● ci +#1 Write the parser {2}2m03 +✉1/)
    expect(working).toMatch(/#1 Write the parser +in progress · ci/)
    expect(working).toMatch(/#2 Use the parser {2}waits for #1 +pending/)
    await cli.ok(['task', 'fail', '1', '--as', 'ci', '--reason', 'the grammar is ambiguous'])
    expect(await cli.ok('status default')).toMatch(/^ ! #1 Write the parser failed: the grammar is ambiguous/m)
  })

  it('shows the open question of a session that runs in another process', async () => {
    const env = { ...cli.env, DESKMATES_DIR: cli.dir }
    await using workspace = await openWorkspace({ cwd: cli.dir, env })
    await using control = await openControl({
      ...{ workspace, env, team: 'web', version: '1', cwd: cli.dir },
      model: composedModel(() => ({ calls: [{ tool: 'bash', input: { command: 'npm publish' } }] })).model,
      sandbox: { mode: 'off', isAnnounced: true },
      socket: { access: 'watch' },
    })
    let isAsked = false
    control.subscribe(({ line }) => {
      isAsked ||= line.type === 'deskmates/question'
    })
    await control.prompt('Publish it.')
    await until(() => isAsked)
    const shown = await cli.ok('status web', { env })
    expect(shown).toMatch(/^web {2}at work/)
    expect(shown).toMatch(/^ ! lead wants bash: npm publish/m)
    const { state, members } = await cli.json('status web', { env })
    expect(state).toBe('at work')
    expect(members).toMatchObject([{ name: 'lead', kind: 'agent' }])
  })

  it('lets no name or text act on the terminal, and colours only what it draws itself', async () => {
    await cli.ok(['task', 'add', 'Write \u001b[2Jthe parser'])
    const { stdout } = await cli.run('status default', { isTerminal: true, columns: 80 })
    expect(stdout).not.toContain('\u001b[2J')
    expect(stdout).toContain('\u001b[')
    const { stdout: bare } = await cli.run('status default')
    expect(bare).not.toContain('\u001b')
  })
})
