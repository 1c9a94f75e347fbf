import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { QuestionLine } from '../session/wire/live-line.ts'
import { openScreen, type ScreenOptions } from '../testing/terminal/screen-harness.ts'
import { created, joined, mail } from '../testing/terminal/team-events.ts'
import { parseUserCommand } from './slash/user-commands.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'terminal-'))
  folders.push(folder)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

async function openTeam(options: ScreenOptions = {}) {
  const open = await openScreen(options)
  open.control.record(created, joined('lead', 'lead'), joined('alice', 'coder'), joined('bob', 'tester', 'idle'))
  await open.shows('alice', 'bob')
  return open
}

describe('commands of the terminal', () => {
  it('/team lists the team, adds a teammate and asks one to stop', async () => {
    const { type, shows, called } = await openTeam()
    type('/team<enter>')
    await shows(/alice +coder +working/, /bob +tester +idle/)
    type('/team add carol designer Draw the login page<enter>')
    await called('spawn', 'carol', 'designer', 'Draw the login page')
    type('/team remove bob<enter>')
    await called('stop', 'bob', false)
  }) // B75

  it('asks the session for a prompt of an MCP server that the terminal does not know yet', async () => {
    const { type, called } = await openTeam()
    type('/mcp__tracker__triage 42<enter>')
    await called('prompt', '/mcp__tracker__triage 42')
  })

  it('/inbox shows unread mail of the lead and leaves it unread', async () => {
    const { control, type, shows } = await openTeam()
    control.record(mail('m1', 'alice', 'lead', 'The form is done.'))
    await shows('✉ alice → lead')
    for (const _ of [1, 2]) {
      type('/inbox<enter>')
      await shows('lead has 1 unread:', 'The form is done.')
    }
    expect(control.calls).toEqual([])
  }) // B16, F12

  it('/inbox of an unknown name says who has mail', async () => {
    const { type, shows } = await openTeam()
    type('/inbox carol<enter>')
    await shows('No member is called carol. Members: lead, alice, bob, user.')
    type('/inbox ALICE<enter>')
    await shows('alice has no unread mail.')
  })

  it('/permissions shows every rule, the layer that it comes from, and the mode', async () => {
    const { type, shows, hides, control } = await openTeam()
    const path = '/shop/.deskmates/settings.json'
    control.currentRules.push(
      { decision: 'deny', rule: 'read_file(.env)', from: 'project', path },
      { decision: 'allow', rule: `bash(${'make all '.repeat(8)})`, from: 'flags' },
      { decision: 'allow', rule: 'bash(npm test)', from: 'session' },
    )
    type('/permissions<enter>')
    await shows(
      /^deny\n {2}read_file\(\.env\) .* project · \.deskmates\/settings\.json\n/m,
      /^ask\n {2}no rules$/m,
      /make all \)\n {6}command line$/m,
      /bash\(npm test\) .* this session$/m,
      'mode default: reads; asks before it writes or runs',
    )
    type('<escape>')
    await hides('read_file(.env)')
    type('/permissions often<enter>')
    await shows('There is no mode often.')
  })

  it('@name writes to a teammate and @all to everyone', async () => {
    const { type, called } = await openTeam()
    type('@alice status?<enter>')
    await called('send', 'alice', 'status?')
    type('@all phase 1 complete<enter>')
    await called('send', 'all', 'phase 1 complete')
    type('/msg bob hello<enter>')
    await called('send', 'bob', 'hello')
  }) // B75

  it('/approve and /reject answer what waits, by name and with a reason', async () => {
    const { control, type, shows, called } = await openTeam()
    const about: QuestionLine['about'] = {
      ...{ kind: 'permission', tool: 'bash', input: {}, why: 'no rule', rules: ['bash(ls:*)'] },
      action: { kind: 'run', tool: 'bash', command: 'ls' },
    }
    control.question('q1', 'alice', about)
    control.question('q2', 'bob', about)
    await shows('alice wants', 'bob wants')
    type('/reject bob use git instead<enter>')
    await called('answer', 'q2', { allowed: false, why: 'use git instead' })
    type('/approve alice always<enter>')
    await called('answer', 'q1', { allowed: true, always: true })
  })

  it('change model and mode, summarise, and refuse bypassPermissions', async () => {
    const { type, shows, called, control } = await openTeam()
    type('/model openai/x<enter>')
    await called('setModel', 'openai/x')
    type('/permissions plan<enter>')
    await called('setMode', 'plan')
    type('/permissions bypassPermissions<enter>')
    await shows('only be chosen when a session is started')
    type('/compact the schema<enter>')
    await called('compact', 'the schema')
    await shows('About 900 tokens became 90.')
    expect(JSON.stringify(control.calls)).not.toContain('bypass')
  })

  it('show help, cost, context, agents and skills', async () => {
    const knowledge = {
      skills: [{ name: 'release', description: 'Cut a release' }],
      agentTypes: [{ name: 'reviewer', description: 'Reads code' }],
    }
    const { type, shows } = await openTeam({ knowledge, rows: 50 })
    type('/help<enter>')
    await shows('/shutdown NAME|all [now]', '/release', 'Ctrl+C twice')
    type('<escape>/cost<enter>/context<enter>/agents<enter>/skills<enter>')
    await shows(/all +0 tokens/, 'conversation takes about', 'reviewer', '/release')
  })

  it('/resume lets a person choose another session with the keys, and Esc returns', async () => {
    const { type, shows, hides, exit } = await openTeam({ knowledge: { sessions } })
    type('/resume<enter>')
    await shows(
      /^› Fix the login$/m,
      /^ {4}\d{4}-\d\d-\d\d \d\d:\d\d · alice, bob · 2 unread$/m,
      /^ {2}Write the docs$/m,
      /^ {4}\S+ \S+ · no teammates$/m,
    )
    type('<escape>')
    await hides('Fix the login')
    await shows('alice')
    type('/resume<enter>')
    await shows('Fix the login')
    type('docs')
    await shows(/sessions · search: docs/, /^› Write the docs$/m)
    await hides('Fix the login')
    type('<backspace><backspace><backspace><backspace><down><down><down><enter>')
    await shows('It runs in another process: deskmates attach s2')
    type('<up><enter>')
    expect(await exit).toEqual({ next: 'resume', session: 's1b' })
  })

  it('/resume ID changes to that session only if it is there and no process runs it', async () => {
    const { type, shows, exit } = await openTeam({ knowledge: { sessions } })
    type('/resume nowhere<enter>')
    await shows('There is no session nowhere')
    type('/resume s2<enter>')
    await shows('It runs in another process: deskmates attach s2')
    type('/resume s1<enter>')
    await shows('This is that session.')
    type('/resume S0<enter>')
    expect(await exit).toEqual({ next: 'resume', session: 's0' })
  })

  it('/clear begins a new session, but neither it nor /resume leaves a session of another process', async () => {
    const own = await openTeam()
    own.type('/clear<enter>')
    expect(await own.exit).toEqual({ next: 'new' })
    const attached = await openTeam({ knowledge: { sessions, isAttached: true } })
    attached.type('/resume<enter>')
    await attached.shows('session of another process', 'deskmates -r ID')
    attached.type('/clear<enter>still here')
    await attached.shows(/then:\n {2}deskmates\n/, 'still here')
  })

  it('are written by users as files, and cannot replace ours', async () => {
    const folder = folderWith({
      '.claude/commands/fix.md':
        '---\ndescription: Fix an issue\nallowed-tools: bash(*)\n---\nFix issue $ARGUMENTS now.',
      '.deskmates/commands/quit.md': 'Do something else.',
    })
    const { type, called, exit, shows } = await openTeam({ commandFolders: [folder] })
    type('/fix 42 and 43<enter>')
    await called('prompt', 'Fix issue 42 and 43 now.', '/fix 42 and 43')
    type('/unknown<enter>')
    await shows('There is no command /unknown')
    type('/quit<enter>')
    expect(await exit).toEqual({ next: 'quit' })
  })

  it('take only help texts from front matter', () => {
    const command = parseUserCommand('fix', '---\nallowed-tools: bash(*)\nmodel: x\n---\nDo it.')
    expect(command).toEqual({ name: 'fix', args: '', about: 'command of this project', prompt: 'Do it.' })
  })

  it('run a command of the user in the own shell with !', async () => {
    const { type, shows } = await openTeam({ knowledge: { cwd: folderWith({ 'a.txt': '' }), env: process.env } })
    type('!ls && exit 3<enter>')
    await shows('! ls && exit 3', '  a.txt', 'exit 3')
  })

  it('complete commands, members and files that git does not ignore', async () => {
    const cwd = folderWith({ '.gitignore': 'secret*\n', 'src/app.ts': '', 'secret.ts': '' })
    const { type, shows, hides, called } = await openTeam({ knowledge: { cwd } })
    type('/sho')
    await shows('/shutdown')
    type('<ctrl+c>')
    type('look at @')
    const list = await shows('@src/app.ts')
    expect(list).not.toContain('secret')
    type('app')
    await hides('@.gitignore')
    type('<tab>')
    await shows('look at @src/app.ts')
    type('<enter>')
    await called('prompt', 'look at @src/app.ts')
  })
})

async function sessions() {
  return [
    { id: 's0', at: 1, firstPrompt: 'Fix the login', members: ['alice', 'bob'], unread: 2, isRunning: false },
    { id: 's1b', at: 1, firstPrompt: 'Write the docs', members: [], unread: 0, isRunning: false },
    { id: 's2', at: 1, firstPrompt: 'Watch the build', members: [], unread: 0, isRunning: true },
  ]
}
