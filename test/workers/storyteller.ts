import type { Disk } from '../../src/stores/files/disk.ts'
import { openKilledAgent, openUnsyncedWorkspace, sendLate } from '../agent/killed-agent.ts'

/** Tells the story of test/agent/killed-agent.ts and kills itself before its n-th call of the file system, or behind its n-th event. */
const [dir = '', what = '', number = ''] = process.argv.slice(2)
const left = { call: Number.POSITIVE_INFINITY, event: Number.POSITIVE_INFINITY, [what]: Number(number) }
const seen = { calls: 0, events: 0 }

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  // The signal is there before anything else can happen; this only tells the reader so.
  for (;;);
}

function mortal(disk: Disk): Disk {
  const counted =
    (call: (...args: never[]) => unknown) =>
    (...args: never[]) => {
      if (left.call-- <= 0) die()
      seen.calls++
      return call(...args)
    }
  const calls = Object.entries(disk).map(([name, call]) => [name, name === 'watch' ? call : counted(call)])
  return Object.fromEntries(calls) as Disk
}

await using workspace = await openUnsyncedWorkspace(dir, mortal)
await using session = await openKilledAgent(workspace)
for await (const event of session.run()) {
  if (left.event-- <= 0) die()
  seen.events++
  if (event.type === 'tool_started' && event.call.toolCallId === 'call-1') await sendLate(session)
}
await session.close()
process.send?.(seen)
