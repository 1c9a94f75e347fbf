import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/**
 * CPU of one turn in milliseconds, in conversations of so many tool turns with a model that answers at once. Both sides
 * take turns: a machine that is slow for a while is slow for both. The smallest figure of each side counts.
 */
export async function cpuPerTurn({ turns, times, protocol = 'openai', beside = 'bare' }) {
  const server = fork(worker('model-server'))
  try {
    const [port] = await once(server, 'message')
    const args = [`http://127.0.0.1:${port}/v1`, String(turns), protocol]
    const sides = ['ours', beside].map((name) => fork(worker(name), args, { execArgv: ['--no-warnings'] }))
    const least = sides.map(() => Number.POSITIVE_INFINITY)
    for (let i = 0; i < times; i++) {
      for (const [at, side] of sides.entries()) least[at] = Math.min(least[at], await cpuOf(side, turns))
    }
    for (const side of sides) side.send('end')
    return { ours: least[0] / turns, limit: least[1] / turns }
  } finally {
    server.kill()
  }
}

async function cpuOf(side, turns) {
  const reported = new AbortController()
  const exit = once(side, 'exit', { signal: reported.signal }).then(
    () => [{}],
    () => [{}],
  )
  side.send('converse')
  const [{ calls, cpu }] = await Promise.race([once(side, 'message'), exit])
  reported.abort()
  if (calls !== turns) throw new Error(`${side.spawnargs[2]} made ${calls} tool calls instead of ${turns}`)
  return cpu
}

/** The system prompt and the tools that our side sent last, so that both sides send the same bytes. */
export async function sameStart(url) {
  return (await fetch(url)).json()
}

/** In a worker: holds a conversation on every request of the parent and reports the CPU of the part that is `measured`. */
export async function serveConversations(converse) {
  let cpu
  const measured = async (turns) => {
    const before = process.cpuUsage()
    const calls = await turns()
    const { user, system } = process.cpuUsage(before)
    cpu = (user + system) / 1000
    return calls
  }
  for (;;) {
    const [command] = await once(process, 'message')
    if (command === 'end') return process.disconnect()
    const calls = await converse(measured)
    process.send({ cpu, calls })
  }
}

function worker(name) {
  return fileURLToPath(new URL(`./workers/${name}.mjs`, import.meta.url))
}
