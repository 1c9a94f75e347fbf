// Many idle teammates: the memory of each, the model calls of an idle day, and how often the store is read meanwhile.
// Run with --expose-gc.
import { names, report, run, withSession } from '../session.mjs'

const [ten, hundred, thousand] = process.argv.slice(2).map(Number)
const DAY_SECONDS = 86_400
/** Long enough for several polls: a process that waits for changes polls every two seconds. */
const OBSERVATION_MS = 12_000

let calls = 0
let reads = 0
let polls = 0
let polled = () => {}
const clock = manualClock()

await withSession({ model: readyModel(), store: counted, clock }, async (session) => {
  await spawn(session, names(ten))
  const readsOfTen = await readsPerMinute()
  await spawn(session, names(hundred).slice(ten))
  const before = heap()
  await spawn(session, names(thousand).slice(hundred))
  const heapEach = (heap() - before) / (thousand - hundred)
  const readsOfThousand = await readsPerMinute()

  const callsBefore = calls
  for (let hour = 0; hour < 24; hour++) {
    clock.advance(DAY_SECONDS / 24)
    for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve))
  }
  await nextPoll()
  await report({ heapEach, readsOfTen, readsOfThousand, calls: calls - callsBefore })
})

async function spawn(session, wanted) {
  // In several answers, as a lead would.
  for (let at = 0; at < wanted.length; at += 100) {
    const teammates = wanted.slice(at, at + 100).map((name) => ({ name, prompt: 'Wait for a message.' }))
    await run(session, `spawn ${JSON.stringify(teammates)}`)
  }
}

function heap() {
  for (let i = 0; i < 4; i++) globalThis.gc()
  return process.memoryUsage().heapUsed
}

/** Answers that it is ready; as the lead it spawns the teammates of the prompt. */
function readyModel() {
  return {
    name: 'bench',
    provider: 'bench',
    account: 'bench',
    context: undefined,
    price: undefined,
    async *reply({ agent, turns }) {
      calls++
      const last = turns.at(-1)
      const text = last.role === 'user' ? last.content.map((part) => part.text).join('\n') : ''
      const team = agent === 'lead' && /^spawn (\[.*\])$/m.exec(text)?.[1]
      const content = team
        ? JSON.parse(team).map((input, i) => toolCall(`call-${calls}-${i}`, 'Task', input))
        : [{ type: 'text', text: 'Ready.' }]
      const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 }
      yield { type: 'text', delta: '' }
      return { turn: { role: 'assistant', content }, end: 'finished', usage, cost: 0, model: 'bench' }
    },
  }
}

function toolCall(toolCallId, toolName, input) {
  return { type: 'tool-call', toolCallId, toolName, input }
}

/** Counts every read of every log, and every wait for a change that ended without one. */
function counted(store) {
  return {
    ...store,
    async log(name, options) {
      const log = await store.log(name, options)
      return {
        ...log,
        read(from) {
          reads++
          return log.read(from)
        },
        async changed(...about) {
          await log.changed(...about)
          polls++
          polled()
        },
      }
    },
  }
}

function nextPoll() {
  return new Promise((resolve) => {
    polled = resolve
  })
}

/** Reads and polls of all agents together, by the real clock. */
async function readsPerMinute() {
  await nextPoll()
  const before = reads + polls
  await new Promise((resolve) => setTimeout(resolve, OBSERVATION_MS))
  return ((reads + polls - before) * 60_000) / OBSERVATION_MS
}

/** A clock that only `advance` moves; it fires every timer that is due on the way. */
function manualClock() {
  let now = 1_700_000_000
  const timers = new Set()
  return {
    now: () => now,
    in(seconds, fire) {
      const timer = { at: now + seconds, fire }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance(seconds) {
      now += seconds
      for (const timer of [...timers].sort((a, b) => a.at - b.at)) {
        if (timer.at > now || !timers.delete(timer)) continue
        timer.fire()
      }
    },
  }
}
