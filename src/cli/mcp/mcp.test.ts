import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'

const RAW = fileURLToPath(new URL('../../../test/mcp/raw-server.mjs', import.meta.url))
const script = { parts: [{ text: 'Done.', times: 'always' }] }
let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
  Object.assign(cli.env, { PATH: process.env.PATH })
  writeFileSync(join(cli.dir, 'model.json'), JSON.stringify(script))
})
afterEach(() => cli.close())

const project = (servers: object) => writeFileSync(join(cli.dir, '.mcp.json'), JSON.stringify({ mcpServers: servers }))
const names = async (words = 'mcp list --no-check') =>
  (await cli.json(words)).map(({ name, state }: { name: string; state: string }) => `${name}: ${state}`)

describe('mcp add, get and remove', () => {
  it('keep a server for this folder, for the user or in .mcp.json', async () => {
    await cli.ok(['mcp', 'add', 'one', '--env', 'A=b', '--', 'one-mcp', '--flag', 'x y'])
    await cli.ok([
      'mcp',
      'add',
      '-s',
      'user',
      '-t',
      'http',
      'two',
      'https://mcp.example.com',
      '-H',
      'X-Key: secret-value-1',
    ])
    await cli.ok(['mcp', 'add-json', 'three', '{"command":"three-mcp"}', '--scope', 'project'])
    expect(await names()).toEqual(['one: ready', 'two: ready', 'three: needs_trust'])
    await cli.ok('trust')
    expect(await names()).toEqual(['one: ready', 'two: ready', 'three: ready'])
    const file = join(cli.env.HOME!, '.config/deskmates/mcp.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(join(cli.dir, '.mcp.json'), 'utf8'))).toEqual({
      mcpServers: { three: { command: 'three-mcp' } },
    })
    expect(await cli.ok('mcp get one')).toContain("runs: one-mcp --flag 'x y'")
    for (const name of ['one', 'two', 'three']) await cli.ok(`mcp remove ${name}`)
    expect(await names()).toEqual([])
  })

  it('never print what a server gets as variables and headers', async () => {
    await cli.ok(['mcp', 'add', 'one', '--env', 'PLAIN=hunter2-plain', '--', 'one-mcp'])
    await cli.ok(['mcp', 'add', 'two', 'https://ada:hunter2-login@mcp.example.com', '--header', 'X-A: hunter2-header'])
    mkdirSync(join(cli.env.HOME!, '.config/deskmates'), { recursive: true })
    writeFileSync(
      join(cli.env.HOME!, '.config/deskmates/settings.json'),
      JSON.stringify({ mcpServers: { set: { command: 'x', env: { PLAIN: 'hunter2-settings' } } } }),
    )
    for (const words of ['mcp list --no-check', 'mcp get one', 'mcp get two', 'mcp get set', 'config list'])
      for (const more of ['', ' --json']) expect(await cli.ok(words + more)).not.toContain('hunter2')
  })

  it.each([
    ['mcp add', 'missing required argument'],
    ['mcp add x', 'No command and no URL given'],
    ['mcp add … -- x', 'is not a name'],
    ['mcp add x --header a:b -- x', '--header is for servers over HTTP'],
    ['mcp add x https://x.example --network', 'A server over HTTP has a URL and --header only'],
    ['mcp add x --env novalue -- x', 'not of the form NAME=value'],
    ['mcp add x --timeout soon -- x', 'is not a number of milliseconds'],
    ['mcp add-json x {', 'The entry is not JSON'],
    ['mcp add-json x {}', 'This server cannot be used'],
    ['mcp remove gone', 'There is no MCP server "gone"'],
    ['mcp get gone', 'There is no MCP server "gone"'],
  ])('say what is wrong with: %s', async (words, text) => {
    const { code, stderr } = await cli.run(words)
    expect([code, stderr]).toEqual([2, expect.stringContaining(text)])
  })

  it('refuse a name that is taken, in any spelling', async () => {
    await cli.ok('mcp add my-server -- x')
    await cli.ok('mcp add other.name -- x')
    expect((await cli.run('mcp add MY-server -- y')).stderr).toContain('There is a server my-server (local) already')
    expect((await cli.run('mcp add other_name -- y')).stderr).toContain('There is a server other.name (local) already')
  })

  it('are for people: agents are refused', async () => {
    const env = { ...cli.env, DESKMATES_AGENT: 'ada' }
    for (const words of ['mcp add x -- y', 'mcp add-json x {}', 'mcp remove x', 'mcp approve x', 'mcp reject x'])
      expect([words, (await cli.run(words, { env })).code]).toEqual([words, 1])
  })
})

describe('a server of the project', () => {
  it('is shown with everything it runs and reads before it is approved, and grants itself nothing', async () => {
    project({
      tool: {
        ...{ command: 'node', args: ['tool.js'], env: { NODE_OPTIONS: '--require ./x.js', API_TOKEN: 'in-the-file' } },
        ...{ network: true, folders: ['~/notes'], cwd: `$\{WHERE:-sub}` },
      },
    })
    expect((await cli.run('mcp approve tool')).stderr).toContain('deskmates trust')
    await cli.ok('trust')
    const shown = await cli.ok('mcp get tool')
    for (const text of ['node tool.js', 'WHERE', '--require ./x.js', 'network, folder ~/notes', 'API_TOKEN: (hidden)'])
      expect(shown).toContain(text)
    const { stdout, stderr } = await cli.run('mcp approve tool')
    expect(stdout).toContain('state: approved\n')
    expect(stderr).toContain('To grant that too: --network --folder ~/notes')
    expect(await cli.ok('mcp approve tool --network --folder ~/notes')).toContain('may use: network, ~/notes')
    project({ tool: { command: 'node', args: ['other.js'] } })
    expect(await names()).toEqual(['tool: needs_approval'])
    await cli.ok('mcp reject tool')
    expect(await names()).toEqual(['tool: rejected'])
  })

  it('is not started by a run without approval, which says so and goes on', async () => {
    const mark = join(cli.dir, 'started')
    project({ tool: { command: 'sh', args: ['-c', `touch ${mark}; exec cat`] } })
    await cli.ok('trust')
    const { code, stdout, stderr } = await cli.run(['-p', 'go', '-m', 'scripted:model.json', '--sandbox', 'off'])
    expect([code, stdout]).toEqual([0, 'Done.\n'])
    expect(stderr).toContain('you have not approved it as it is now')
    expect(stderr).toContain('deskmates mcp approve tool')
    expect(() => statSync(mark)).toThrow()
  })
})

describe('mcp list', { timeout: 60_000 }, () => {
  it('says which servers work, and exits 1 if one does not', async () => {
    await cli.ok(['mcp', 'add', 'raw', '--', process.execPath, RAW])
    expect(await cli.ok('mcp list')).toMatch(/raw\s+local\s+works, \d+ tools/)
    await cli.ok(['mcp', 'add', 'broken', '--', process.execPath, RAW, 'exit'])
    const { code, stdout } = await cli.run('mcp list')
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /broken\s+local\s+failed: The MCP server broken could not be started: it ended with exit code 7/,
    )
  })
})

describe('a run', { timeout: 60_000 }, () => {
  it.for(['none.json', '{bad', '{}'])('is refused as misused with the --mcp-config %s', async (config) => {
    const { code, stderr } = await cli.run(['-p', 'go', '-m', 'scripted:model.json', '--mcp-config', config])
    expect([code, stderr]).toEqual([2, expect.stringMatching(/cannot be read|is not JSON|has no "mcpServers"/)])
  })

  it('says what a server without a network may need, where it does not start', async () => {
    const server = ['--', process.execPath, RAW, 'exit']
    await cli.ok(['mcp', 'add', 'my tool', ...server])
    expect((await cli.run('mcp list')).stderr).toContain(
      "deskmates mcp remove 'my tool', and add it again with --network.",
    )
    await cli.ok(['mcp', 'remove', 'my tool'])
    project({ tool: { command: process.execPath, args: [RAW, 'exit'] } })
    await cli.ok('trust')
    await cli.ok('mcp approve tool')
    expect((await cli.run('mcp list')).stderr).toContain('deskmates mcp approve tool --network.')
    await cli.ok('mcp approve tool --network')
    expect((await cli.run('mcp list')).stderr).not.toContain('network')
  })

  it('uses tools, prompts and resources of the servers of --mcp-config, as rules allow', async () => {
    const parts = [
      { when: { user: '/Review a.ts with care/' }, calls: [{ tool: 'mcp__raw__echo', input: { text: 'hello' } }] },
      { when: { result: 'hello' }, text: 'Reviewed.' },
      { when: { user: 'the note of note://today' }, text: 'Read.' },
      { times: 'always', text: 'Nothing.' },
    ]
    writeFileSync(join(cli.dir, 'model.json'), JSON.stringify({ parts }))
    const config = JSON.stringify({ mcpServers: { raw: { command: process.execPath, args: [RAW] } } })
    const run = (prompt: string, ...more: string[]) =>
      cli.run(['-p', prompt, '-m', 'scripted:model.json', '--mcp-config', config, '--strict-mcp-config', ...more])
    const denied = await run('/mcp__raw__review a.ts')
    expect(denied.code).toBe(4)
    expect(denied.stderr).toContain("--allowedTools 'mcp__raw__echo'")
    const allowed = await run('/mcp__raw__review a.ts', '--allowedTools', 'mcp__raw')
    expect([allowed.code, allowed.stdout]).toEqual([0, 'Reviewed.\n'])
    expect((await run('see @raw:note://today, please')).stdout).toBe('Read.\n')
    expect((await run('/mcp__raw__gone')).stderr).toContain('There are: /mcp__raw__review.')
    expect((await run('/mcp__raw__review')).stderr).toContain('/mcp__raw__review needs file')
    const stdin = (async function* () {
      yield 'see @raw:note://today'
    })()
    const piped = await cli.run(['-p', 'look', '-m', 'scripted:model.json', '--mcp-config', config], { stdin })
    expect(piped.stdout).toBe('Nothing.\n')
  })
})
