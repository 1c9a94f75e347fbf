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

  it('leave for another session with /resume, and for a new one with /clear', async () => {
    const sessions = async () => [
      { id: 's0', at: 1, firstPrompt: 'Fix the login', members: ['lead', 'alice'], unread: 2 },
    ]
    const first = await openTeam({ knowledge: { sessions } })
    first.type('/resume<enter>')
    await first.shows(/s0 .*2 members {2}✉2 {2}Fix the login/)
    first.type('/resume s0<enter>')
    expect(await first.exit).toEqual({ next: 'resume', session: 's0' })
    const second = await openTeam()
    second.type('/clear<enter>')
    expect(await second.exit).toEqual({ next: 'new' })
  })

  it('are written by users as files, and cannot replace ours', async () => {
    const folder = folderWith({
      '.claude/commands/fix.md':
        '---\ndescription: Fix an issue\nallowed-tools: bash(*)\n---\nFix issue $ARGUMENTS now.',
      '.deskmates/commands/quit.md': 'Do something else.',
    })
    const { type, called, exit, shows } = await openTeam({ commandFolders: [folder] })
    type('/fix 42 and 43<enter>')
    await called('prompt', 'Fix issue 42 and 43 now.')
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
