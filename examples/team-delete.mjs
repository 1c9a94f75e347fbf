// A lead creates a team, lets it work, and deletes it: every teammate is asked to stop and accounted for, and nothing is left.
// On a scripted model: no key, no network.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSession, openWorkspace, scriptedModel } from 'deskmates'

const model = scriptedModel({
  parts: [
    {
      agent: 'lead',
      when: { user: 'GraphQL' },
      calls: [
        { tool: 'TeamCreate', input: { name: 'graphql' } },
        { tool: 'TaskCreate', input: { subject: 'List the endpoints', description: 'in words', role: 'analyst' } },
        { tool: 'Task', input: { name: 'analyst', role: 'analyst', prompt: 'Take your task.' } },
        { tool: 'Task', input: { name: 'backend', role: 'backend', prompt: 'Wait for a task.' } },
      ],
    },
    // It looks at the board whenever it hears something, and ends the team once all is done.
    { agent: 'lead', when: { result: { tool: 'TaskList', text: /\[x\]/ } }, calls: [closingCheck()] },
    {
      agent: 'lead',
      when: { result: 'Broadcast sent' },
      calls: [{ tool: 'TeamDelete', input: { name: 'graphql' } }],
    },
    {
      agent: 'lead',
      when: { result: { tool: 'TeamDelete', text: 'deleted' } },
      text: 'The work is done and the team is gone.',
    },
    { agent: 'lead', when: { user: /type="result"/ }, times: 'always', calls: [{ tool: 'TaskList', input: {} }] },
    { agent: 'lead', times: 'always', text: 'I wait.' },

    {
      agent: 'analyst',
      when: { user: /<task id="/ },
      compose: ({ turns }) => {
        const [, taskId] = /<task id=\\"(\d+)/.exec(JSON.stringify(turns))
        return { calls: [{ tool: 'TaskUpdate', input: { taskId, status: 'completed', result: 'GET /products' } }] }
      },
    },
    { agent: 'analyst', times: 'always', text: 'There is one endpoint.' },
    { agent: 'backend', times: 'always', text: 'I am here.' },
  ],
})

function closingCheck() {
  return { tool: 'SendMessage', input: { type: 'broadcast', content: 'Closing check: is something left?' } }
}

// In a folder of its own that is gone at the end, or in one that you name, where all of it stays to look at.
const [given] = process.argv.slice(2)
const dir = given ?? mkdtempSync(join(tmpdir(), 'deskmates-example-'))
const env = given ? process.env : { ...process.env, DESKMATES_DIR: dir, DESKMATES_STATE: join(dir, 'state') }
if (!given) process.on('exit', () => rmSync(dir, { recursive: true, force: true }))

const workspace = await openWorkspace({ cwd: dir, env })
const session = await openSession({ workspace, model })
for await (const event of session.run('Move us to GraphQL.')) {
  if (event.type === 'tool_finished' && event.call.toolName === 'TeamDelete') console.log(event.result.text)
  if (event.type === 'answered' && event.agent === 'lead')
    for (const part of event.reply.turn.content)
      if (part.type === 'text' && part.text !== 'I wait.') console.log(part.text)
}
await session.close()
console.log(`Teams left: ${(await workspace.store.teams()).filter((name) => name !== session.id).join(', ') || 'none'}`)
