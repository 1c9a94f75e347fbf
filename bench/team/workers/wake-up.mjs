// From a message to an idle teammate, sent by this process or by another one, to the model request that contains it.
// The limit is the least that takes: one synced append and one request.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { NOTE, protocols } from '../../agent/protocols.mjs'
import { median } from '../../verdict.mjs'
import { report, run, withServer, withSession } from '../session.mjs'

const isOtherProcess = process.argv[2] === 'other-process'
const times = Number(process.argv[3])
const WARM_UP_MESSAGES = 100
// Both sides offer the same single tool, so that their requests are about as long.
const FILES = ['bash', 'read_file', 'write_file', 'edit_file', 'glob', 'grep']
const DENIED = [...FILES, 'TaskCreate', 'TaskUpdate', 'TaskList', 'SendMessage']

await withServer(0, (url) =>
  withSession({ url, permissions: { deny: DENIED } }, async (session, { dir }) => {
    await run(session, 'spawn [{"name":"ada","prompt":"Wait for a message."}]')
    const send = isOtherProcess ? await sender(dir, session.id) : { to: sendFrom(session.team), end() {} }
    const bare = bareLoop(url, join(dir, 'bare'))
    const [ours, limit] = [[], []]
    // Alternating, so that other load on this machine affects both sides.
    for (let i = 0; i < WARM_UP_MESSAGES + times; i++) {
      const arrival = nextArrival(session.team, 'ada')
      const sent = await send.to('ada', `wake ${i}`)
      ours.push(Number((await arrival) - sent) / 1e6)
      await pause(10)
      limit.push(await bare.wake(i))
      await pause(10)
    }
    send.end()
    bare.end()
    await report({ ours: median(ours.slice(WARM_UP_MESSAGES)), limit: median(limit.slice(WARM_UP_MESSAGES)) })
  }),
)

function sendFrom(team) {
  return async (to, content) => {
    const sent = process.hrtime.bigint()
    // Not awaited: the receiver may have the message before it is acknowledged as durable.
    team.send({ to, content })
    return sent
  }
}

async function sender(dir, team) {
  const child = fork(fileURLToPath(new URL('./sender.mjs', import.meta.url)), [dir, team])
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

/** When the request arrived that the next result of this teammate answers. Resolves when the teammate is idle again. */
function nextArrival(team, name) {
  return new Promise((resolve) => {
    let arrived
    const stop = team.watch(({ by, events }) => {
      if (by.name !== name) return
      for (const event of events) {
        const text = event.type === 'message.sent' && event.message.type === 'result' ? event.message.content : ''
        arrived ??= /^wake \d+ (\d+)$/.exec(text)?.[1]
        if (arrived === undefined || event.type !== 'member.activity' || event.status !== 'idle') continue
        stop()
        resolve(BigInt(arrived))
      }
    })
  })
}

/** Appends and syncs a line, then sends a conversation as long as ours. */
function bareLoop(url, path) {
  const fd = fs.openSync(path, 'a')
  const tools = [protocols.openai.tool(NOTE)]
  const messages = [{ role: 'system', content: 'You work in a team of several agents. '.repeat(40) }]
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
