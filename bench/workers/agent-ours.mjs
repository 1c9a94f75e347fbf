// The same conversation as a session: streamed, checked, permitted, in the transcript and synced before it goes on.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineTool, openSession, openWorkspace, resolveModel } from '../../dist/index.js'
import { converseWhenTold, LOOK, LOOKED } from '../agent.mjs'

const [url, turns] = [process.argv[2], Number(process.argv[3])]
const dir = mkdtempSync(join(tmpdir(), 'deskmates-bench-'))
const env = { ...process.env, HOME: dir, DESKMATES_STATE: join(dir, 'state') }
const workspace = await openWorkspace({ cwd: dir, env })
const input = { '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }) } }
const look = defineTool({ ...LOOK, input, onlyLooks: true, action: () => undefined, run: () => LOOKED })
const model = await resolveModel(`compatible/turns-${turns}`, { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'x' })

// One tool is offered, by both sides: what is measured is the loop, and a longer request is longer for both.
const all = await openSession({ workspace, model, tools: [look] })
const deny = all.tools.filter((name) => name !== look.name)
await all.close()

try {
  await converseWhenTold(async (measured) => {
    const session = await openSession({ workspace, model, tools: [look], permissions: { deny } })
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
