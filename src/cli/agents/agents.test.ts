import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
  Object.assign(cli.env, { PATH: process.env.PATH })
})
afterEach(() => cli.close())

/** An agent type in the settings of the project. */
function settings(acp: unknown): void {
  mkdirSync(join(cli.dir, '.deskmates'), { recursive: true })
  writeFileSync(join(cli.dir, '.deskmates/settings.json'), JSON.stringify({ agents: { mine: { acp } } }))
}
/** The same in an agent file. */
function file(acp: unknown): void {
  mkdirSync(join(cli.dir, 'agents'), { recursive: true })
  const front = `name: mine\ndescription: digs\nacp: ${JSON.stringify(acp)}`
  writeFileSync(join(cli.dir, 'agents/mine.md'), `---\n${front}\n---\nYou dig.\n`)
}
const states = async () =>
  (await cli.json('agents list')).map(({ name, source, state }: Record<string, string>) => [name, source, state])

const entry = { command: 'my-agent', args: ['--acp'], env: { PLACE: `$\{WHERE:-here}` } }

describe.each([
  ['the settings', settings],
  ['an agent file', file],
])("another vendor's agent that %s of a project describe", { timeout: 60_000 }, (_, write) => {
  it('needs trust, then approval, and approval again after each change of what it runs', async () => {
    write(entry)
    const { code, stderr } = await cli.run('agents approve mine')
    expect(code).toBe(2)
    expect(stderr).toMatch(/not trusted|no agent type/)
    await cli.ok('trust')
    expect(await states()).toEqual([['mine', 'project', 'needs_approval']])
    for (const changed of [
      entry,
      { ...entry, command: 'other-agent' },
      { ...entry, args: ['--acp', '--yolo'] },
      { ...entry, env: { ...entry.env, NODE_OPTIONS: '--require ./x.js' } },
      { ...entry, env: { PLACE: 'there' } },
    ]) {
      write(changed)
      await cli.ok('trust')
      expect([changed, await states()]).toEqual([changed, [['mine', 'project', 'needs_approval']]])
      await cli.ok('agents approve mine')
      expect(await states()).toEqual([['mine', 'project', 'ready']])
    }
    await cli.ok('agents reject mine')
    expect(await states()).toEqual([['mine', 'project', 'rejected']])
  })
})

describe('agents list and approve', { timeout: 60_000 }, () => {
  it('show what a type runs, every variable that it names, and the folders that it asks for', async () => {
    settings({ ...entry, folders: ['~/notes'] })
    await cli.ok('trust')
    for (const words of ['agents list', 'agents approve mine'])
      for (const text of ['mine', 'my-agent --acp', 'PLACE', 'WHERE', '~/notes'])
        expect([words, await cli.ok(words)]).toEqual([words, expect.stringContaining(text)])
  })

  it('show all of a long command, and nothing that moves the cursor', async () => {
    const args = ['\x1b[2J\x1b]0;x\x07', '\u202egnol', 'x'.repeat(3000), '--last']
    settings({ command: 'my-agent\nready', args, env: { 'A\x1b[1mB': 'x' }, folders: ['\x1b[8m/'] })
    await cli.ok('trust')
    for (const words of ['agents list', 'agents approve mine', 'agents reject mine']) {
      const shown = await cli.ok(words)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
      expect([words, shown]).toEqual([words, expect.not.stringMatching(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/)])
      expect(shown.trim().split('\n')).toHaveLength(1)
      expect([words, shown]).toEqual([words, expect.stringContaining('--last')])
    }
  })

  it('are for people where they decide: agents are refused', async () => {
    settings(entry)
    await cli.ok('trust')
    const env = { ...cli.env, DESKMATES_AGENT: 'ada' }
    for (const words of ['agents approve mine', 'agents reject mine'])
      expect([words, (await cli.run(words, { env })).code]).toEqual([words, 1])
    expect(await states()).toEqual([['mine', 'project', 'needs_approval']])
  })
})
