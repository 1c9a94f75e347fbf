// Messages to a working teammate: each is sent while its model answers or while a tool runs, and has to be in the very
// next request. Reports how many requests the slowest message took.
import { setTimeout as pause } from 'node:timers/promises'
import { defineTool } from '../../../dist/index.js'
import { CONTENT, NOTE } from '../../agent/protocols.mjs'
import { report, run, withSession } from '../session.mjs'

const messages = Number(process.argv[2])
let team
let requests = 0
let sent = 0
let slowest = 0
const waiting = new Map()

async function send() {
  const text = `note ${++sent}.`
  waiting.set(text, requests)
  await team.send({ to: 'ada', content: text })
}

const model = {
  name: 'bench',
  provider: 'bench',
  account: 'bench',
  context: undefined,
  price: undefined,
  async *reply({ agent, turns }) {
    if (agent === 'lead') return answer(turns.length === 1 ? [['Task', { name: 'ada', prompt: 'Work.' }]] : [])
    requests++
    receive(JSON.stringify(turns.slice(-3)))
    yield { type: 'text', delta: '' }
    await pause(2)
    if (sent < messages && requests % 2 === 0) await send()
    return answer(sent < messages || waiting.size > 0 ? [[NOTE.name, { file: 'notes' }]] : [])
  },
}

function receive(newTurns) {
  for (const [text, at] of waiting) {
    if (!newTurns.includes(text)) continue
    waiting.delete(text)
    slowest = Math.max(slowest, requests - at)
  }
}

function answer(calls) {
  const parts = calls.map(([toolName, input], i) => ({
    type: 'tool-call',
    toolCallId: `call-${requests}-${sent}-${i}`,
    toolName,
    input,
  }))
  const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 }
  const content = parts.length > 0 ? parts : [{ type: 'text', text: 'Done.' }]
  return { turn: { role: 'assistant', content }, end: 'finished', usage, cost: 0, model: 'bench' }
}

const note = defineTool({
  ...NOTE,
  input: { '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }) } },
  action: () => undefined,
  async run() {
    if (sent < messages && requests % 2 === 1) await send()
    return CONTENT
  },
})

await withSession({ model, tools: [note] }, async (session) => {
  team = session.team
  await run(session, 'go')
  if (sent < messages || waiting.size > 0) throw new Error(`${waiting.size} of ${sent} messages were never received`)
  await report({ ours: slowest, limit: 1 })
})
