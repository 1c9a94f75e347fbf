import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TeamError } from '../../src/team/errors.ts'
import { isRefusal } from '../../src/team/refusal.ts'
import { CrashError, type DiskPlan, type FaultKind, recordingDisk } from '../../src/testing/faulty-disk.ts'
import { brokenInvariants } from '../../src/testing/invariants.ts'
import { closingDisk } from './closing-disk.ts'
import { type FragileTeam, makeFragileTeam } from './fragile-team.ts'
import { type Operation, operations } from './operations.ts'
import { type PowerCutDisk, powerCutDisk } from './power-cut-disk.ts'

/** What changes nothing cannot have happened and failed all the same, and never runs out of space. */
const READS = ['readSync', 'readFileSync', 'fstatSync', 'statSync', 'lstatSync', 'readdirSync', 'realpathSync']
/** Calls on an open descriptor stay allowed. */
const ON_DESCRIPTORS = ['readSync', 'fstatSync', 'writeSync', 'closeSync', 'fsyncSync', 'fsync', 'fdatasync']

/** How each call can fail. */
function faultsOf(call: string): FaultKind[] {
  const faults: FaultKind[] = ['EIO before']
  if (call === 'writeSync') faults.push('short write')
  if (!READS.includes(call)) faults.push('EIO after')
  if (!READS.includes(call) && call !== 'closeSync') faults.push('ENOSPC')
  if (!ON_DESCRIPTORS.includes(call)) faults.push('EACCES')
  return faults
}

describe('a process that dies after any one of its file-system calls', () => {
  it.for(operations)('$name: keeps what was acknowledged, once', async (operation) => {
    const { calls } = await attempt(operation, {})
    const found: string[] = []
    for (let crashAfter = 0; crashAfter <= calls.length; crashAfter++) {
      const tried = await attempt(operation, { crashAfter })
      const wrong = [...tried.strange, ...(await aftermath(operation, tried.acknowledged))]
      found.push(...wrong.map((what) => `dead after call ${crashAfter} (${calls[crashAfter - 1]}): ${what}`))
    }
    expect(calls.length).toBeGreaterThan(20)
    console.log(`crash: ${operation.name} has ${calls.length} calls, died after each, ${found.length} wrong`)
    expect(found).toEqual([])
  }) // A47, B58, F1, F2, F22
})

describe('a machine that loses power after any one file-system call', () => {
  it.for(operations)('$name: keeps what was acknowledged, once', async (operation) => {
    const { calls } = await attempt(operation, {})
    const found: string[] = []
    for (const names of ['kept', 'lost'] as const) {
      for (let crashAfter = 0; crashAfter <= calls.length; crashAfter++) {
        const power = powerCutDisk()
        const tried = await attempt(operation, { crashAfter }, power)
        power.cut(names)
        const wrong = [...tried.strange, ...(await aftermath(operation, tried.acknowledged))]
        const where = `power cut after call ${crashAfter} (${calls[crashAfter - 1]}), names ${names}`
        found.push(...wrong.map((what) => `${where}: ${what}`))
      }
    }
    console.log(`power: ${operation.name} has ${calls.length} calls, cut after each, ${found.length} wrong`)
    expect(found).toEqual([])
  }) // B58, F2, F22
})

describe('a disk that fails any one call', () => {
  it.for(operations)('$name: succeeds or names what failed', async (operation) => {
    const { calls } = await attempt(operation, {})
    const found: string[] = []
    let failures = 0
    for (const [at, call] of calls.entries()) {
      for (const how of faultsOf(call)) {
        const tried = await attempt(operation, { fail: { at, how } })
        if (tried.failed) failures++
        const wrong = [...tried.strange, ...(await aftermath(operation, tried.acknowledged))]
        found.push(...wrong.map((what) => `${how} at call ${at} (${call}): ${what}`))
      }
    }
    expect(failures).toBeGreaterThan(0)
    console.log(`faults: ${operation.name}, ${calls.length} calls, ${failures} named failures, ${found.length} wrong`)
    expect(found).toEqual([])
  }) // B58, F22
})

let fragile: FragileTeam
beforeAll(async () => {
  fragile = await makeFragileTeam()
})
afterAll(() => fragile[Symbol.dispose]())

interface Attempt {
  readonly calls: readonly string[]
  readonly acknowledged: ReadonlySet<string>
  readonly failed: boolean
  /** What no user should ever see: an error without a name, or no answer at all. */
  readonly strange: readonly string[]
}

/** The operation from the beginning, on a disk that does as planned. */
async function attempt(operation: Operation, plan: DiskPlan, under?: PowerCutDisk): Promise<Attempt> {
  fragile.reset()
  const { disk: inner, closeAll } = closingDisk(under?.disk)
  const disk = recordingDisk(plan, inner)
  const acknowledged = new Set<string>()
  const strange: string[] = []
  let failed = false
  const noteError = (error: unknown) => {
    failed = true
    if (!isNamed(error))
      strange.push(
        `an error without a name: ${error instanceof Error ? error.stack?.split('\n').slice(0, 6).join(' ') : error}`,
      )
  }
  try {
    await inTime(async () => {
      const opened = await fragile.open(disk)
      try {
        await operation.run(opened, (what) => acknowledged.add(what))
      } finally {
        // The command line warns about views that could not be written; the journal has everything.
        await opened.team.close().catch(() => {})
      }
    })
  } catch (error) {
    noteError(error)
  }
  const { calls } = disk
  closeAll()
  return { calls: [...calls], acknowledged, failed, strange }
}

/** A living process comes, repeats the command with its id and looks around. */
async function aftermath(operation: Operation, before: ReadonlySet<string>): Promise<string[]> {
  const { disk, closeAll } = closingDisk()
  const opened = await fragile.open(disk)
  const { team, views } = opened
  const wrong: string[] = []
  const acknowledged = new Set(before)
  await team.refresh()
  wrong.push(...missing(before, opened))
  await operation.run(opened, (what) => {
    if (operation.name === 'take' && before.has(what)) wrong.push(`${what} was acknowledged twice`)
    acknowledged.add(what)
  })
  await team.refresh()
  wrong.push(...operation.wrong(opened, acknowledged), ...brokenInvariants(team.state))
  if (operation.name === 'claim') wrong.push(...(await colliding(opened)))
  // Half a line that was to show a message looks like a foreign one that is still being written, until mail comes in.
  await team.ingest()
  await views.write(team.state, team.cursor)
  wrong.push(...(await views.differences(team.state, team.cursor)))
  const faults = team.log.faults().filter(({ kind }) => kind !== 'torn')
  wrong.push(...faults.map(({ kind, detail }) => `${kind}: ${detail}`))
  await team.close()
  closeAll()
  return wrong
}

/** Acknowledged, and not there for the next process. */
function missing(acknowledged: ReadonlySet<string>, { team }: Awaited<ReturnType<FragileTeam['open']>>): string[] {
  const { state } = team
  const holds: Record<string, () => boolean> = {
    'send-1': () => state.mailboxes.get('bob')?.has('send-1') === true,
    'claim-1': () => state.tasks.get('2')?.status === 'in_progress',
    'join-1': () => state.members.has('cyd'),
    'update-1': () => state.tasks.get('1')?.subject === 'one, renamed',
    'letter-1': () => state.mailboxes.get('ada')?.has('letter-1') === false,
    'letter-2': () => state.mailboxes.get('ada')?.has('letter-2') === false,
  }
  return [...acknowledged].filter((what) => holds[what]?.() === false).map((what) => `${what} is lost`)
}

/** bob wants the task that ada holds, then the one that shares its files. */
async function colliding({ team }: Awaited<ReturnType<FragileTeam['open']>>): Promise<string[]> {
  const wrong: string[] = []
  for (const id of ['2', '3']) {
    const answer = await team.run({ type: 'task.claim', id }, { by: { name: 'bob' } })
    if (!isRefusal(answer)) wrong.push(`bob could claim task ${id} as well`)
  }
  return wrong
}

function isNamed(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof CrashError) return true
  return error instanceof TeamError
}

/** A call without any answer hangs: nothing here takes more than a moment. */
async function inTime(work: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer within 10 seconds')), 10_000)
  })
  try {
    await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}
