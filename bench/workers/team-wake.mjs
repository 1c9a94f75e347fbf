// A message to a teammate that rests → in its model request, from this process or from another one; and beside it what
// nobody can do without: one synced append and one request.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { LOOK } from '../agent.mjs'
import { median } from '../place.mjs'
import { found, run, withServer, withSession } from '../team.mjs'

const [isFromElsewhere, times] = [process.argv[2] === 'elsewhere', Number(process.argv[3])]
const WARM = 20
// Both sides offer the same one tool, so that both send about the same.
const FILES = ['bash', 'read_file', 'write_file', 'edit_file', 'glob', 'grep']
const DENIED = [...FILES, 'TaskCreate', 'TaskUpdate', 'TaskList', 'SendMessage']

await withServer(0, async (url) => {
  const { ours, system } = await withSession({ url, permissions: { deny: DENIED } }, async (session, dir) => {
    await run(session, 'spawn [{"name":"ada","prompt":"Rest until you hear of me."}]')
    const send = isFromElsewhere ? await sender(dir, session.id) : { to: sendFrom(session.team), end() {} }
    const latencies = []
    for (let i = 0; i < WARM + times; i++) {
      const heard = answerOf(session.team, 'ada')
      const sent = await send.to('ada', `wake ${i}`)
      latencies.push(Number((await heard) - sent) / 1e6)
      await pause(10)
    }
    send.end()
    return { ours: latencies.slice(WARM), system: 'You work in a team, at the next desk. '.repeat(40) }
  })
  await found({ ours: median(ours), limit: median((await bare(url, system)).slice(WARM)) })
})

function sendFrom(team) {
  return async (to, content) => {
    const sent = process.hrtime.bigint()
    // Nobody waits for it here: the receiver may have heard before we know that it cannot be lost.
    team.send({ to, content })
    return sent
  }
}

async function sender(dir, team) {
  const child = fork(fileURLToPath(new URL('./team-sender.mjs', import.meta.url)), [dir, team])
  await once(child, 'message')
  return {
    async to(to, content) {
      child.send({ to, content })
      const [sent] = await once(child, 'message')
      return BigInt(sent)
    },
    end: () => child.disconnect(),
  }
}

/** When the request came in that the next result of this teammate answers, and when it rests again. */
function answerOf(team, name) {
  return new Promise((resolve) => {
    let cameIn
    const stop = team.watch(({ by, events }) => {
      if (by.name !== name) return
      for (const event of events) {
        const text = event.type === 'message.sent' && event.message.type === 'result' ? event.message.content : ''
        cameIn ??= /^wake \d+ (\d+)$/.exec(text)?.[1]
        if (cameIn === undefined || event.type !== 'member.activity' || event.status !== 'idle') continue
        stop()
        resolve(BigInt(cameIn))
      }
    })
  })
}

/** The same number of times: a line is appended and synced, then a conversation as long as ours goes out. */
async function bare(url, system) {
  const dir = fs.mkdtempSync(join(fs.realpathSync(process.env.TMPDIR ?? '/tmp'), 'deskmates-bench-'))
  const fd = fs.openSync(join(dir, 'bare'), 'a')
  const tools = [
    { type: 'function', function: { name: 'look', description: LOOK.description, parameters: LOOK.schema } },
  ]
  const messages = [{ role: 'system', content: system }]
  const latencies = []
  for (let i = 0; i < WARM + times; i++) {
    const sent = process.hrtime.bigint()
    fs.writeSync(fd, `\n${JSON.stringify({ content: `wake ${i}`, more: 'x'.repeat(300) })}\n`)
    fs.fdatasyncSync(fd)
    messages.push({ role: 'user', content: `wake ${i}` })
    const response = await request(`${url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
      body: JSON.stringify({ model: 'bench', messages, tools, stream: true, max_tokens: 8000 }),
    })
    const answer = /wake \d+ (\d+)/.exec(await response.body.text())
    messages.push({ role: 'assistant', content: answer[0] })
    latencies.push(Number(BigInt(answer[1]) - sent) / 1e6)
    await pause(10)
  }
  fs.closeSync(fd)
  fs.rmSync(dir, { recursive: true })
  return latencies
}
