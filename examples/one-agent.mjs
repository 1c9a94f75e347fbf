// One agent with a tool of its own, on a scripted model: no key, no network, the same every time.
// With a real one: const model = await resolveModel('anthropic/claude-sonnet-5')
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineTool, openSession, openWorkspace, scriptedModel } from 'deskmates'
import { z } from 'zod'

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather of a city.',
  input: z.object({ city: z.string() }),
  run: ({ city }) => `sunny in ${city}`,
})
const model = scriptedModel({
  parts: [
    { when: { user: 'Rome' }, text: 'Let me see.', calls: [{ tool: 'weather', input: { city: 'Rome' } }] },
    { when: { result: { tool: 'weather', text: 'sunny' } }, text: 'Take sunglasses.' },
  ],
})

// In a folder of its own that is gone at the end, or in one that you name, where all of it stays to look at.
const [given] = process.argv.slice(2)
const dir = given ?? mkdtempSync(join(tmpdir(), 'deskmates-example-'))
const env = given ? process.env : { ...process.env, DESKMATES_DIR: dir, DESKMATES_STATE: join(dir, 'state') }
if (!given) process.on('exit', () => rmSync(dir, { recursive: true, force: true }))

const workspace = await openWorkspace({ cwd: dir, env })
const session = await openSession({ workspace, model, tools: [weather], permissions: { allow: ['weather'] } })
for await (const event of session.run('What do I need in Rome?')) {
  if (event.type === 'answered')
    console.log(
      event.agent,
      event.reply.turn.content.map((part) => part.text ?? part.toolName),
    )
  if (event.type === 'tool_finished') console.log(event.call.toolName, event.result.text)
}
await session.close()
if (given) console.log(`Go on with: cd ${dir}; deskmates -r ${session.id} -p '…'`)
