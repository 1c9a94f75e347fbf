import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A tool that looks at something small and finds it at once: what is measured is everything around it. */
export const LOOK = {
  name: 'look',
  description: 'Looks at a file of this project and says what is in it.',
  schema: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
}
export const LOOKED = 'It holds a list of things to do, in order, each with a name and a date. '.repeat(4)

/**
 * CPU of one turn in milliseconds, in conversations of so many tool turns with a model that answers at once. Both sides
 * take turns: a machine that is slow for a while is slow for both. The least of each counts.
 */
export async function cpuPerTurn(turns, times, beside = 'agent-bare') {
  const server = fork(worker('model-server'))
  try {
    const [port] = await once(server, 'message')
    const sides = ['agent-ours', beside].map((name) =>
      fork(worker(name), [`http://127.0.0.1:${port}/v1`, String(turns)], { execArgv: ['--no-warnings'] }),
    )
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
  const isHeard = new AbortController()
  const exit = once(side, 'exit', { signal: isHeard.signal }).then(
    () => [{}],
    () => [{}],
  )
  side.send('talk')
  const [{ calls, cpu }] = await Promise.race([once(side, 'message'), exit])
  isHeard.abort()
  if (calls !== turns) throw new Error(`${side.spawnargs[2]} made ${calls} calls of ${turns}`)
  return cpu
}

/** The system prompt and the tools of the conversation that ours had last, so that both sides send the same bytes. */
export async function beginning(url) {
  return (await fetch(url)).json()
}

/** In a worker: has a conversation whenever it is told to, and says what its turns took. `talk` measures them. */
export async function converseWhenTold(talk) {
  let cpu
  const measured = async (turns) => {
    const before = process.cpuUsage()
    const calls = await turns()
    const { user, system } = process.cpuUsage(before)
    cpu = (user + system) / 1000
    return calls
  }
  for (;;) {
    const [told] = await once(process, 'message')
    if (told === 'end') return process.disconnect()
    const calls = await talk(measured)
    process.send({ cpu, calls })
  }
}

function worker(name) {
  return fileURLToPath(new URL(`./workers/${name}.mjs`, import.meta.url))
}
