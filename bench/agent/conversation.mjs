import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/**
 * CPU of one turn in milliseconds, in conversations of so many tool turns with a model that answers at once, for every
 * side. The sides take turns: a machine that is slow for a while is slow for all. In each round the smallest figure of
 * `each` conversations counts, because noise only adds. Returns one object per round with the figure of every side.
 */
export async function cpuPerTurn({ turns, warmUps, rounds, each, protocol, sides }) {
  const server = fork(worker('model-server'))
  const children = new Map()
  try {
    const [port] = await once(server, 'message')
    const args = [`http://127.0.0.1:${port}/v1`, String(turns), protocol]
    for (const id of sides) {
      const program = worker(id === 'ours' ? 'ours' : 'peer')
      children.set(id, fork(program, [...args, id], { execArgv: ['--no-warnings'] }))
    }
    const least = async (times) => {
      const figures = Object.fromEntries(sides.map((id) => [id, Number.POSITIVE_INFINITY]))
      for (let i = 0; i < times; i++) {
        for (const [id, child] of children) figures[id] = Math.min(figures[id], (await cpuOf(id, child, turns)) / turns)
      }
      return figures
    }
    await least(warmUps)
    const figures = []
    for (let i = 0; i < rounds; i++) figures.push(await least(each))
    for (const child of children.values()) child.send('end')
    return figures
  } finally {
    for (const child of children.values()) if (child.exitCode === null && !child.connected) child.kill()
    server.kill()
  }
}

async function cpuOf(id, child, turns) {
  const reported = new AbortController()
  const exit = once(child, 'exit', { signal: reported.signal }).then(
    () => [{}],
    () => [{}],
  )
  child.send('converse')
  const [{ calls, cpu }] = await Promise.race([once(child, 'message'), exit])
  reported.abort()
  if (calls !== turns) throw new Error(`${id} made ${calls} tool calls instead of ${turns}`)
  return cpu
}

/** The system prompt and the tools that our side sent last, so that other sides send the same bytes. */
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
