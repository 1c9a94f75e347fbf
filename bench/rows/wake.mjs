import { fork } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { median, place, using } from '../place.mjs'

const sleeper = fileURLToPath(new URL('../workers/sleeper.mjs', import.meta.url))
const MESSAGES = 60

export default {
  name: 'send → another process awake (p50)',
  against: 'append + fdatasync alone',
  unit: 'ms',
  atMost: 10,
  round: () =>
    place({}, async (dir) => {
      const child = fork(sleeper, [dir])
      await once(child, 'message')
      const latencies = await using(dir, (team) => wakeUps(team, child))
      const worst = Math.max(...latencies)
      if (worst > 2_000) throw new Error(`one wake-up took ${worst} ms, more than the poll allows`)
      return { ours: median(latencies), limit: median(syncs(join(dir, 'bare'))) }
    }),
}

async function wakeUps(team, child) {
  const latencies = []
  for (let i = 0; i < MESSAGES; i++) {
    await pause(5)
    const heard = once(child, 'message')
    const sent = process.hrtime.bigint()
    await team.send({ to: 'lead', content: `wake ${i}` })
    const [{ awake }] = await heard
    latencies.push(Number(BigInt(awake) - sent) / 1e6)
  }
  const ended = once(child, 'exit')
  await team.send({ to: 'lead', content: 'stop' })
  await ended
  return latencies
}

function syncs(path) {
  const fd = fs.openSync(path, 'a')
  const record = Buffer.from(`\n${'x'.repeat(330)}\n`)
  const times = []
  for (let i = 0; i < MESSAGES; i++) {
    const begin = performance.now()
    fs.writeSync(fd, record)
    fs.fdatasyncSync(fd)
    times.push(performance.now() - begin)
  }
  fs.closeSync(fd)
  return times
}
