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
const WARM = 100
// Both sides offer the same one tool, so that both send about the same.
const FILES = ['bash', 'read_file', 'write_file', 'edit_file', 'glob', 'grep']
const DENIED = [...FILES, 'TaskCreate', 'TaskUpdate', 'TaskList', 'SendMessage']

await withServer(0, (url) =>
  withSession({ url, permissions: { deny: DENIED } }, async (session, dir) => {
    await run(session, 'spawn [{"name":"ada","prompt":"Rest until you hear of me."}]')
    const send = isFromElsewhere ? await sender(dir, session.id) : { to: sendFrom(session.team), end() {} }
    const bare = bareLoop(url, join(dir, 'bare'))
    const [ours, limit] = [[], []]
    // In turns, so that whatever else this machine does happens to both.
    for (let i = 0; i < WARM + times; i++) {
      const heard = answerOf(session.team, 'ada')
      const sent = await send.to('ada', `wake ${i}`)
      ours.push(Number((await heard) - sent) / 1e6)
      await pause(10)
      limit.push(await bare.wake(i))
      await pause(10)
    }
    send.end()
    bare.end()
    await found({ ours: median(ours.slice(WARM)), limit: median(limit.slice(WARM)) })
  }),
)

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

/** A line is appended and synced, then a conversation as long as ours goes out. */
function bareLoop(url, path) {
  const fd = fs.openSync(path, 'a')
  const tools = [
    { type: 'function', function: { name: 'look', description: LOOK.description, parameters: LOOK.schema } },
  ]
  const messages = [{ role: 'system', content: 'You work in a team, at the next desk. '.repeat(40) }]
  return {
    async wake(i) {
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
      return Number(BigInt(answer[1]) - sent) / 1e6
    },
    end: () => fs.closeSync(fd),
  }
}
