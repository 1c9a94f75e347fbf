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

/** Has conversations of so many tool turns with a model that answers at once; CPU of one turn in milliseconds. */
export async function cpuPerTurn(turns, times, beside = 'agent-bare') {
  const server = fork(worker('model-server'))
  try {
    const [port] = await once(server, 'message')
    const args = [`http://127.0.0.1:${port}/v1`, String(turns), String(times)]
    return { ours: await cpu('agent-ours', args, turns), limit: await cpu(beside, args, turns) }
  } finally {
    server.kill()
  }
}

async function cpu(name, args, turns) {
  const child = fork(worker(name), args, { execArgv: ['--no-warnings'] })
  const [heard] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [undefined])])
  if (heard?.calls !== turns) throw new Error(`${name} made ${heard?.calls} calls of ${turns}`)
  return heard.cpu / turns
}

/** In a worker: talks once to warm up, then several times; sends the least CPU one conversation took. */
export async function cpuOf(times, talk) {
  let calls = await talk()
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < times; i++) {
    const before = process.cpuUsage()
    calls = await talk()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  await new Promise((resolve) => process.send({ cpu: least, calls }, resolve))
  process.disconnect()
}

function worker(name) {
  return fileURLToPath(new URL(`./workers/${name}.mjs`, import.meta.url))
}
