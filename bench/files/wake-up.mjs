import { fork } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { median } from '../verdict.mjs'
import { openTeamIn, withTeam } from './temporary-team.mjs'

const receiver = fileURLToPath(new URL('./workers/receiver.mjs', import.meta.url))
const MESSAGES = 60

/** Milliseconds from sending a message until a process that waits for it has seen it, the median. */
export function wakeUpTimes() {
  return withTeam({}, async (dir) => {
    const child = fork(receiver, [dir])
    await once(child, 'message')
    const latencies = await openTeamIn(dir, (team) => wakeUps(team, child))
    const worst = Math.max(...latencies)
    if (worst > 2_000) throw new Error(`one wake-up took ${worst} ms, more than the poll allows`)
    return { ours: median(latencies), limit: median(syncs(join(dir, 'bare'))) }
  })
}

async function wakeUps(team, child) {
  const latencies = []
  for (let i = 0; i < MESSAGES; i++) {
    await pause(5)
    const received = once(child, 'message')
    const sent = process.hrtime.bigint()
    await team.send({ to: 'lead', content: `wake ${i}` })
    const [{ awake }] = await received
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
