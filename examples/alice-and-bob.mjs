// Two teammates build a login together and settle its details between themselves, on a scripted model: no key, no
// network. With a real one: const model = await resolveModel('anthropic/claude-sonnet-5')
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSession, openWorkspace, scriptedModel } from 'deskmates'

const spawn = (name, role, prompt) => ({ tool: 'Task', input: { name, role, prompt } })
const send = (input) => ({ tool: 'SendMessage', input })
const write = (path, content) => ({ tool: 'write_file', input: { path, content } })
const fields = 'The form sends user and password.'

const model = scriptedModel({
  parts: [
    {
      agent: 'lead',
      when: { user: 'Build a login' },
      calls: [
        spawn('alice', 'coder', 'Build the login form in login.html, and tell bob what it sends.'),
        spawn('bob', 'tester', 'Write the login API in login-api.json, once alice says what the form sends.'),
      ],
    },
    // Both have reported: the lead sends the result to all members and is then idle.
    {
      agent: 'lead',
      when: { conversation: 'login-api.json takes' },
      calls: [send({ type: 'broadcast', content: 'status update: phase 1 complete' })],
    },
    { agent: 'lead', when: { result: 'Broadcast sent' }, text: 'The login is built.' },
    { agent: 'lead', times: 'always', text: 'The login is built, or soon will be.' },

    {
      agent: 'alice',
      when: { user: 'Build the login form' },
      calls: [
        write(
          'login.html',
          '<form action="/login"><input name="user"><input name="password" type="password"></form>\n',
        ),
        send({ recipient: 'bob', content: fields }),
      ],
    },
    { agent: 'alice', when: { user: 'phase 1 complete' }, text: 'Good.' },
    { agent: 'alice', times: 'always', text: 'login.html is there, and bob knows what it sends.' },

    // What bob writes comes from what alice told him.
    {
      agent: 'bob',
      when: { user: 'from="alice"' },
      compose: ({ turns }) => {
        const [, one, two] = /sends (\w+) and (\w+)/.exec(JSON.stringify(turns))
        return { calls: [write('login-api.json', `${JSON.stringify({ 'POST /login': [one, two] })}\n`)] }
      },
    },
    { agent: 'bob', when: { result: { tool: 'write_file' } }, text: 'login-api.json takes what the form sends.' },
    { agent: 'bob', when: { user: 'phase 1 complete' }, text: 'Good.' },
    { agent: 'bob', times: 'always', text: 'I wait for alice.' },
  ],
})

// In a folder of its own that is gone at the end, or in one that you name, where all of it stays to look at.
const [given] = process.argv.slice(2)
const dir = given ?? mkdtempSync(join(tmpdir(), 'deskmates-example-'))
const env = given ? process.env : { ...process.env, DESKMATES_DIR: dir, DESKMATES_STATE: join(dir, 'state') }
if (!given) process.on('exit', () => rmSync(dir, { recursive: true, force: true }))

const workspace = await openWorkspace({ cwd: dir, env })
const session = await openSession({ workspace, model, permissions: { mode: 'acceptEdits' } })
for await (const event of session.run('Build a login, with alice (coder) and bob (tester).')) {
  if (event.type !== 'team' || event.event.type !== 'message.sent') continue
  const { type, from, to, content } = event.event.message
  if (from !== 'user' && (type === 'message' || type === 'broadcast')) console.log(`${from} → ${to}: ${content}`)
}
await session.close()
console.log(`bob wrote: ${readFileSync(join(dir, 'login-api.json'), 'utf8').trim()}`)
if (given)
  console.log(`Look: cd ${dir}; deskmates --team ${session.id} team show; cat .teams/${session.id}/config.json`)
