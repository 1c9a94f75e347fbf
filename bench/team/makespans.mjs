import { fork } from 'node:child_process'
import { once } from 'node:events'
import { takeCounts, withServer, worker } from './session.mjs'

/** How long the model takes to answer. */
const LATENCY_MS = 50
const WARM_UPS = 6
const ROUNDS = 5

/**
 * The same work by every side, one after the other and for several rounds, against one model server. `shape` is a number
 * of turns or `varied` for the graph of 40 tasks, and `separate` for 8 agents with 20 turns each. Returns one object per
 * round with the figures of every side: `ms` from the start of the work to its end, and what the server counted.
 */
export function makespans(shape, sides) {
  const children = new Map()
  return withServer(LATENCY_MS, (url) =>
    withServer(0, async (fastUrl) => {
      for (const id of sides) {
        const program = worker(id === 'ours' ? 'team' : 'ready-queue')
        children.set(id, fork(program, [String(shape), id], { execArgv: ['--no-warnings'] }))
      }
      for (let i = 0; i < WARM_UPS; i++) for (const [id, child] of children) await ask(id, child, fastUrl)
      const rounds = []
      for (let i = 0; i < ROUNDS; i++) {
        const round = {}
        for (const [id, child] of children) round[id] = await ask(id, child, url)
        rounds.push(round)
      }
      return rounds
    }),
  ).finally(() => {
    for (const child of children.values()) child.kill()
  })
}

async function ask(id, child, url) {
  const ended = new AbortController()
  const exit = once(child, 'exit', { signal: ended.signal }).then(
    () => [undefined],
    () => [undefined],
  )
  child.send({ url })
  const [figures] = await Promise.race([once(child, 'message'), exit])
  ended.abort()
  if (figures === undefined) throw new Error(`the process of ${id} ended without figures`)
  return figures
}

/** In a worker: does the work whenever the parent asks, and reports its figures. */
export function serveMakespans(work) {
  process.on('message', async ({ url }) => {
    const span = stopwatch(url)
    await work(url, span)
    process.send({ ...span.figures, ...(await takeCounts(url)) })
  })
}

/** The time between `begin` and the last `end`; what the server was asked before `begin` does not count. */
function stopwatch(url) {
  let began
  const figures = {}
  return {
    figures,
    async begin() {
      await takeCounts(url)
      began = performance.now()
    },
    end() {
      figures.ms = performance.now() - began
    },
  }
}
