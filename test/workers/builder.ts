import type { Disk } from '../../src/stores/files/disk.ts'
import { openUnsyncedWorkspace } from '../agent/killed-agent.ts'
import { MOMENTS, openKilledTeam, PROMPT } from '../team/killed-team.ts'

/** Builds the house of test/team/killed-team.ts and kills itself at one moment, or before its n-th call of the file system. */
const [dir = '', moment = '', number = ''] = process.argv.slice(2)
let left = number === '' ? Number.POSITIVE_INFINITY : Number(number)
let calls = 0

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  // The signal is there before anything else can happen; this only tells the reader so.
  for (;;);
}

function mortal(disk: Disk): Disk {
  const counted =
    (call: (...args: never[]) => unknown) =>
    (...args: never[]) => {
      if (left-- <= 0) die()
      calls++
      return call(...args)
    }
  const all = Object.entries(disk).map(([name, call]) => [name, name === 'watch' ? call : counted(call)])
  return Object.fromEntries(all) as Disk
}

await using workspace = await openUnsyncedWorkspace(dir, mortal)
await using session = await openKilledTeam(workspace)
for await (const event of session.run(PROMPT)) if (MOMENTS[moment]?.(event)) die()
await session.close()
process.send?.(calls)
