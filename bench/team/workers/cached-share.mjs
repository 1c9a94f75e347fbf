// Four teammates that take 50 turns each and write to each other, on the Anthropic wire.
import { resolveModel } from '../../../dist/index.js'
import { startAnthropicServer } from '../../../test/agent/anthropic-server.mjs'
import { cachedShare } from '../../../test/agent/cached-share.mjs'
import { names, report, run, withSession } from '../session.mjs'

const [count, turns] = process.argv.slice(2).map(Number)
const server = await startAnthropicServer()
const env = { ANTHROPIC_API_KEY: 'x', ANTHROPIC_BASE_URL: server.url }
const mates = names(count)
const teammates = mates.map((name, at) => ({
  name,
  prompt: `read ${turns - 1} times, write to ${mates[(at + 1) % count]}`,
}))
const model = await resolveModel('anthropic/claude-sonnet-4-5', env)
await withSession({ model }, (session) => run(session, `spawn ${JSON.stringify(teammates)}`))
const { requests, bytes, cachedBytes } = cachedShare(server.bodies)
if (requests.length < count * turns) throw new Error(`only ${requests.length} requests were made`)
await report({ ours: cachedBytes, limit: bytes })
await server[Symbol.asyncDispose]()
