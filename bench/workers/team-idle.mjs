// Many teammates that have nothing to do: what each keeps in memory, what a day of that costs, and how often the store
// is read meanwhile. Run with --expose-gc.
import { found, names, run, withSession } from '../team.mjs'

const [handful, few, many] = process.argv.slice(2).map(Number)
const DAY = 86_400
/** Milliseconds; whoever waits for news looks every two seconds. */
const WATCHED = 12_000

let calls = 0
let reads = 0
let polls = 0
let polled = () => {}
const clock = dayClock()

await withSession({ model: readyModel(), store: counted, clock }, async (session) => {
  await spawn(session, names(handful))
  const readsOfHandful = await looksPerMinute()
  await spawn(session, names(few).slice(handful))
  const before = heap()
  await spawn(session, names(many).slice(few))
  const heapEach = (heap() - before) / (many - few)
  const readsOfMany = await looksPerMinute()

  const asked = calls
  for (let hour = 0; hour < 24; hour++) {
    clock.advance(DAY / 24)
    for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve))
  }
  await nextPoll()
  await found({ heapEach, readsOfHandful, readsOfMany, calls: calls - asked })
})

async function spawn(session, wanted) {
  // A lead asks for some at a time.
  for (let at = 0; at < wanted.length; at += 100) {
    const teammates = wanted.slice(at, at + 100).map((name) => ({ name, prompt: 'Rest until you hear of me.' }))
    await run(session, `spawn ${JSON.stringify(teammates)}`)
  }
}

function heap() {
  for (let i = 0; i < 4; i++) globalThis.gc()
  return process.memoryUsage().heapUsed
}

/** Says that it is ready; the lead makes the teammates it is told to make. Keeps nothing. */
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

/** Counts every read of every log, and every time somebody has waited for news of the journal in vain. */
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

/** Reads and waits of everybody together, counted for a while by the clock on the wall. */
async function looksPerMinute() {
  await nextPoll()
  const before = reads + polls
  await new Promise((resolve) => setTimeout(resolve, WATCHED))
  return ((reads + polls - before) * 60_000) / WATCHED
}

/** A clock that stands still but for `advance`, which rings everything that is due on the way. */
function dayClock() {
  let now = 1_700_000_000
  const alarms = new Set()
  return {
    now: () => now,
    in(seconds, ring) {
      const alarm = { at: now + seconds, ring }
      alarms.add(alarm)
      return () => alarms.delete(alarm)
    },
    advance(seconds) {
      now += seconds
      for (const alarm of [...alarms].sort((a, b) => a.at - b.at)) {
        if (alarm.at > now || !alarms.delete(alarm)) continue
        alarm.ring()
      }
    },
  }
}
