// The conversation as a session: streamed, checked, permitted, and synced to the transcript before it continues.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineTool, openSession, openWorkspace, resolveModel } from '../../../dist/index.js'
import { serveConversations } from '../conversation.mjs'
import { CONTENT, NOTE, protocols } from '../protocols.mjs'

const [url, turns, protocol] = process.argv.slice(2)
const dir = mkdtempSync(join(tmpdir(), 'deskmates-bench-'))
const env = { ...process.env, HOME: dir, DESKMATES_STATE: join(dir, 'state') }
const workspace = await openWorkspace({ cwd: dir, env })
const input = { '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }) } }
const note = defineTool({ ...NOTE, input, action: () => undefined, run: () => CONTENT })
const model = await resolveModel(protocols[protocol].model(turns), protocols[protocol].env(url))

// Both sides offer the same single tool: the loop is measured, not the length of the tool descriptions.
const all = await openSession({ workspace, model, tools: [note] })
const deny = all.tools.filter((name) => name !== note.name)
await all.close()

try {
  await serveConversations(async (measured) => {
    const session = await openSession({ workspace, model, tools: [note], permissions: { deny } })
    const calls = await measured(async () => {
      let calls = 0
      for await (const event of session.run('go')) if (event.type === 'tool_finished') calls++
      return calls
    })
    await session.close()
    return calls
  })
} finally {
  await workspace[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true })
}
