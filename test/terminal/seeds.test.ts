import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { buildCli } from '../demo/demo-process.ts'
import { backend, makeProject, type PseudoTerminal } from './pseudo-terminal.ts'

beforeAll(buildCli)

const SPAWN = 'Spawn alice (coder) and bob (tester). Have alice send bob a message.'
const BROADCAST = 'Broadcast "status update: phase 1 complete" to all teammates'
const CHECK = 'Check the lead inbox for any messages'
const LOGIN =
  'Create a team with alice (frontend) and bob (backend). Alice should build a login form in trysamples/index.html, Bob should build a login API config in trysamples/server.conf. They should coordinate via messages.'

const spawn = (name: string, role: string, prompt: string) => ({ tool: 'Task', input: { name, role, prompt } })
const send = (recipient: string, content: string) => ({
  tool: 'SendMessage',
  input: { type: 'message', recipient, content },
})

/** What the models would do; everything else is real. */
const FIRST = {
  parts: [
    {
      agent: 'lead',
      when: { user: 'Spawn alice (coder)' },
      calls: [spawn('alice', 'coder', 'Send bob a message.'), spawn('bob', 'tester', 'Wait for a message of alice.')],
    },
    { agent: 'alice', when: { answer: 1 }, calls: [send('bob', 'Hello bob, please test the parser.')] },
    { agent: 'bob', when: { user: 'test the parser' }, text: 'I test the parser.' },
    {
      agent: 'lead',
      when: { user: 'Broadcast "status' },
      calls: [{ tool: 'SendMessage', input: { type: 'broadcast', content: 'status update: phase 1 complete' } }],
    },
    {
      agent: 'lead',
      when: { user: 'Check the lead inbox' },
      ...{ chunk: 4, pace: 0.6 },
      text: 'alice and bob reported to me: the parser is in test, and phase 1 is complete for both of them.',
    },
    { agent: ['alice', 'bob'], when: { user: 'phase 1 complete' }, times: 'always', text: 'Noted: phase 1.' },
    { agent: ['alice', 'bob'], times: 'always', text: 'Ready.' },
    { agent: 'lead', times: 'always', text: 'Done.' },
  ],
}

const SECOND = {
  parts: [
    {
      agent: 'lead',
      when: { user: 'Create a team' },
      calls: [
        spawn('alice', 'frontend', 'Build the form with bob.'),
        spawn('bob', 'backend', 'Build the API with alice.'),
      ],
    },
    { agent: 'alice', when: { answer: 1 }, calls: [send('bob', 'Which path has the login API?')] },
    {
      agent: 'bob',
      when: { user: 'Which path' },
      calls: [
        { tool: 'write_file', input: { path: 'trysamples/server.conf', content: 'POST /api/login\n' } },
        send('alice', 'POST /api/login'),
      ],
    },
    {
      agent: 'alice',
      when: { user: 'POST /api/login' },
      calls: [
        {
          tool: 'write_file',
          input: { path: 'trysamples/index.html', content: '<form method="post" action="/api/login"></form>\n' },
        },
      ],
    },
    { agent: ['alice', 'bob'], times: 'always', text: 'Ready.' },
    { agent: 'lead', times: 'always', text: 'Done.' },
  ],
}

async function say(terminal: PseudoTerminal, text: string): Promise<void> {
  terminal.type(text)
  await terminal.sees(text.slice(0, 30))
  terminal.press('Enter')
}

/** Views are written soon after what they show. */
function eventually(check: () => void): Promise<void> {
  return vi.waitFor(check, { timeout: 60_000, interval: 50 })
}

/** The view files of the only team of a folder. */
function teamFiles(dir: string) {
  const [team] = readdirSync(join(dir, '.teams')).filter((name) => name.startsWith('s-'))
  const folder = join(dir, '.teams', team!)
  return {
    config: () => readFileSync(join(folder, 'config.json'), 'utf8'),
    inboxes: () => readdirSync(join(folder, 'inbox')),
  }
}

describe("the source documents' examples, typed as they stand there", { timeout: 170_000 }, () => {
  it('spawn, broadcast, check the inbox, /team and /inbox', async ({ skip }) => {
    if (backend === undefined) skip('neither tmux nor script is installed')
    using project = makeProject({ 'script.json': JSON.stringify(FIRST) })
    const terminal = project.open('-m scripted:script.json --sandbox off', { rows: 40 })
    await terminal.sees('default mode')
    await say(terminal, SPAWN)
    await terminal.sees(
      'Task(teammate:alice)',
      'Task(teammate:bob)',
      '✉ alice → bob',
      'Hello bob, please test the parser.',
    )
    await terminal.sees(/○ alice +idle/, /○ bob +idle/)
    await say(terminal, BROADCAST)
    await terminal.sees('✉ lead → all (broadcast)', 'status update: phase 1 complete', 'Noted: phase 1.')
    await terminal.sees(/○ alice +idle/, /○ bob +idle/)
    await say(terminal, '/team')
    await terminal.sees(/^ {2}lead +lead +\w+/m, /^ {2}alice +coder +idle/m, /^ {2}bob +tester +idle/m)

    // While the lead answers, mail waits for it, and a person who looks does not take it away.
    await say(terminal, CHECK)
    await terminal.sees('alice and bob')
    await say(terminal, '@lead remember the changelog')
    await say(terminal, '/inbox')
    await terminal.sees('lead has 1 unread:', 'remember the changelog')
    await say(terminal, '/inbox')
    await terminal.sees(/lead has 1 unread:[\s\S]*lead has 1 unread:/)
    await terminal.sees(/phase 1 is complete for\s+both of them/, '> remember the changelog')
    await say(terminal, '/inbox')
    await terminal.sees('lead has no unread mail.')
    const { config, inboxes } = teamFiles(project.dir)
    await eventually(() =>
      expect(JSON.parse(config()).members).toMatchObject([
        { name: 'lead' },
        { name: 'alice', role: 'coder' },
        { name: 'bob', role: 'tester' },
      ]),
    )
    // The file of a mailbox that is being read is elsewhere for that moment.
    await eventually(() => expect(inboxes().some((name) => /^(lead|alice|bob)\.jsonl$/.test(name))).toBe(true))
    await say(terminal, '/shutdown all')
    await terminal.sees('[all teammates shut down]')
    await say(terminal, 'exit')
    await terminal.sees('Continue with: deskmates -r s-', 'exit 0')
  }) // A87, B16, B18, B73, F12

  it('two teammates that build a login and coordinate without the lead', async ({ skip }) => {
    if (backend === undefined) skip('neither tmux nor script is installed')
    using project = makeProject({ 'script.json': JSON.stringify(SECOND) })
    const terminal = project.open('-m scripted:script.json --sandbox off --permission-mode acceptEdits', { rows: 40 })
    await terminal.sees('acceptEdits mode')
    await say(terminal, LOGIN)
    await terminal.sees('✉ alice → bob', 'Which path has the login API?', '✉ bob → alice', 'POST /api/login')
    await terminal.sees(/○ alice +idle/, /○ bob +idle/)
    expect(readFileSync(join(project.dir, 'trysamples/index.html'), 'utf8')).toContain('action="/api/login"')
    expect(readFileSync(join(project.dir, 'trysamples/server.conf'), 'utf8')).toBe('POST /api/login\n')
    expect(existsSync(join(project.dir, '.teams'))).toBe(true)
    await eventually(() =>
      expect(JSON.parse(teamFiles(project.dir).config()).members).toMatchObject([
        { name: 'lead' },
        { name: 'alice', role: 'frontend' },
        { name: 'bob', role: 'backend' },
      ]),
    )
    terminal.press('C-d')
    await terminal.sees('exit 0')
  }) // D11
})
