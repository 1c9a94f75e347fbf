import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildCli } from '../demo/demo-process.ts'
import { backend, makeProject, type Project, type PseudoTerminal } from './pseudo-terminal.ts'

const RAW = fileURLToPath(new URL('../mcp/raw-server.mjs', import.meta.url))
const MODEL = '-m scripted:script.json --sandbox off'
const SCRIPT = {
  parts: [
    { when: { user: '/Review a\\.ts with care/' }, text: 'Reviewed it.' },
    { when: { user: 'the note of note://today' }, text: 'Read the note.' },
    { times: 'always', text: 'Nothing of a server.' },
  ],
}

const opened: Project[] = []
beforeAll(buildCli)
afterEach(() => {
  for (const project of opened.splice(0)) project[Symbol.dispose]()
})

function projectWith(files: Readonly<Record<string, string>> = {}): Project {
  const project = makeProject({ 'script.json': JSON.stringify(SCRIPT), ...files })
  opened.push(project)
  return project
}

async function say(terminal: PseudoTerminal, text: string): Promise<void> {
  terminal.type(text)
  await terminal.sees(text.trimEnd())
  terminal.press('Enter')
}

const leave = async (terminal: PseudoTerminal) => {
  terminal.press('C-d')
  await terminal.sees('exit 0')
}

describe('prompts and resources of MCP servers on a terminal', { timeout: 170_000 }, () => {
  it('are completed, given to the lead, and refused with what is missing', async ({ skip }) => {
    if (backend === undefined) skip('neither tmux nor script is installed')
    const { home, open } = projectWith()
    const config = { mcpServers: { raw: { command: process.execPath, args: [RAW] } } }
    writeFileSync(join(home, 'mcp.json'), JSON.stringify(config))
    const terminal = open(`${MODEL} --mcp-config ../home/mcp.json`)
    await terminal.sees('default mode')

    // Also while the server is starting.
    await say(terminal, '/mcp__raw__review ')
    await terminal.sees('/mcp__raw__review needs file. Write: /mcp__raw__review FILE')
    await say(terminal, '/mcp__raw__gone x')
    await terminal.sees('There is no prompt /mcp__raw__gone. There are: /mcp__raw__review.')

    terminal.type('/mcp__raw__r')
    await terminal.sees('→ /mcp__raw__review', 'Reviews a file (raw)')
    terminal.press('Tab')
    await terminal.sees(/^\/mcp__raw__review$/m)
    terminal.type('a.ts')
    await terminal.sees('/mcp__raw__review a.ts')
    terminal.press('Enter')
    await terminal.sees('> /mcp__raw__review a.ts', 'Reviewed it.')

    await say(terminal, 'see @raw:note://today, please')
    await terminal.sees('> see @raw:note://today, please', 'Read the note.')

    await say(terminal, '@gone:note://today x')
    await terminal.sees('Nothing of a server.')
    await leave(terminal)
  })
})

describe('an MCP server of a project on a terminal', { timeout: 170_000 }, () => {
  const entry = (mark: string, more: object = {}) => ({
    ...{ command: process.execPath, args: [RAW], env: { MARK: mark, PLACE: `$\{WHERE:-here}/$\{HOME}` } },
    ...{ network: true, folders: ['~/notes'], ...more },
  })
  const file = (servers: object) => JSON.stringify({ mcpServers: servers })

  it('is shown with all it runs and reads, asked about once, and again when its entry changes', async ({ skip }) => {
    if (backend === undefined) skip('neither tmux nor script is installed')
    const { dir, open } = projectWith()
    const mark = join(dir, 'started')
    const web = { type: 'http', url: `http://127.0.0.1:9/$\{TENANT:-x}/mcp`, headers: { 'X-Lang': `$\{LANG:-c}` } }
    const config = join(dir, '.mcp.json')
    writeFileSync(config, file({ tool: entry(mark), web }))
    const first = open(MODEL, { columns: 120, rows: 50 })
    await first.sees('Do you trust this folder?')
    first.type('y')
    await first.sees('raw-server.mjs', 'reads variables: WHERE, HOME', `sets PLACE: $\{WHERE:-here}/$\{HOME}`)
    await first.sees('asks for: network, folder ~/notes', 'May tool run?')
    expect(existsSync(mark)).toBe(false)
    first.type('y')
    await first.sees('May it use the network?')
    first.press('Enter')
    await first.sees('May it use the folder ~/notes?')
    first.press('Enter')
    await first.sees('Other folders it may use')
    first.press('Enter')
    await first.sees('May web be used?', `url: http://127.0.0.1:9/$\{TENANT:-x}/mcp`, 'reads variables: TENANT, LANG')
    expect(existsSync(mark)).toBe(false)
    first.press('Enter')
    await first.sees('default mode')
    await say(first, '/mcp__tool__review a.ts')
    await first.sees('Reviewed it.')
    expect(existsSync(mark)).toBe(true)
    await leave(first)

    // Neither answer is asked for again. What was not granted stays so: the answer is bound to the entry.
    const again = open(MODEL, { columns: 120, rows: 50 })
    expect(await again.sees('default mode')).not.toMatch(/May (tool|web)/)
    await leave(again)
    const granted = open('mcp list --no-check', { columns: 160, rows: 50 })
    const list = await granted.sees('exit 0')
    expect(list).toMatch(/tool +project +approved {2}/)
    expect(list).toMatch(/web +project +not started: rejected/)

    const other = join(dir, 'started by the changed entry')
    writeFileSync(config, file({ tool: entry(other), web }))
    const changed = open(MODEL, { columns: 120, rows: 50 })
    await changed.sees(`sets MARK: ${other}`, 'May tool run?')
    changed.press('Enter')
    await changed.sees('default mode')
    await say(changed, '/mcp__tool__review a.ts')
    await changed.sees('There is no prompt /mcp__tool__review.')
    expect(existsSync(other)).toBe(false)
    await leave(changed)
  })

  it('cannot show other lines than its own in the question, nor hide the end of its command', async ({ skip }) => {
    if (backend === undefined) skip('neither tmux nor script is installed')
    const { open } = projectWith({
      '.mcp.json': file({
        'a\n  runs: nothing': { command: 'true' },
        'b\u001b[2J': { command: 'true' },
        'c; touch pwned': { command: 'sh', args: ['-c', `good # ${'x'.repeat(3000)}\ntouch pwned`] },
      }),
    })
    const terminal = open(MODEL, { columns: 100, rows: 60 })
    await terminal.sees('Do you trust this folder?')
    terminal.type('y')
    const shown = await terminal.sees('May c; touch pwned run?')
    expect(shown).not.toContain('runs: nothing')
    expect(shown).toContain('more characters, not shown')
    terminal.press('C-c')
    await terminal.sees(/cannot be\s+used: its\s+name\s+has characters that cannot be seen/)
    await leave(terminal)
  })
})
