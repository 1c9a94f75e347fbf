import { readdirSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { systemText } from '../paths/safe-reads.ts'
import { askProgram } from './start-program.ts'

/** A process group that we started. The pid alone may belong to another process by now. */
export interface ProcessGroup {
  readonly pid: number
  /** When it started, in the unit of the system; compared, never read. */
  readonly started: string
}

/** The group a process leads, named so that it cannot be taken for a later one with the same number. */
export function groupOf(pid: number): ProcessGroup {
  return { pid, started: `${boot()}-${isLinux ? (statOf(pid)?.start ?? '') : macStart(pid)}` }
}

/** How long a group that was asked to end may take, in milliseconds, before it is made to. */
const GRACE_MS = 2000

/**
 * Ends every process of a group we started and still wait for: asks first, then makes it. False if something of it
 * lives on all the same (it hangs in the kernel, or is another user's by now).
 */
export async function endGroup(pid: number, grace = GRACE_MS): Promise<boolean> {
  if (!isGroupAlive(pid)) return true
  // A process that was stopped would not hear the first signal.
  signalInside(pid, 'SIGTERM')
  signalGroup(pid, 'SIGCONT')
  if (await isGoneWithin(pid, grace)) return true
  signalInside(pid, 'SIGKILL')
  if (await isGoneWithin(pid, GRACE_MS)) return true
  signalGroup(pid, 'SIGKILL')
  return isGoneWithin(pid, GRACE_MS)
}

/**
 * From here on the group does not outlive this process, however it exits, unless that is killed itself: then the
 * process that resumes the agent ends it. The function that is returned says that the group is ended.
 */
export function endWithUs(pid: number): () => void {
  if (live.size === 0) process.on('exit', killLive)
  live.add(pid)
  return () => {
    live.delete(pid)
    if (live.size === 0) process.off('exit', killLive)
  }
}

const live = new Set<number>()

/** Nothing can be waited for any more, so no process gets time to end by itself. */
function killLive(): void {
  for (const pid of live) signalGroup(pid, 'SIGKILL')
}

/** Ends a group that was recorded by a process which is gone, unless its number means something else by now. */
export async function endRecordedGroup(group: ProcessGroup): Promise<boolean> {
  return isStill(group) ? endGroup(group.pid) : true
}

/** Whether anything of this group runs. What has died and waits for its parent does not. */
export function isGroupAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return isLinux ? membersOf(pid).length > 0 : true
}

const isLinux = process.platform === 'linux'

/**
 * The leader may have ended before the rest. Then each of them must have started later, in the leader's own session,
 * with the variable every command of ours has; other systems do not say, so the group is left alone there.
 */
function isStill({ pid, started }: ProcessGroup): boolean {
  const leader = groupOf(pid)
  if (leader.started === started) return true
  if (!isLinux || !started.startsWith(`${boot()}-`) || statOf(pid)) return false
  const start = Number(started.slice(started.lastIndexOf('-') + 1))
  const members = membersOf(pid)
  return members.length > 0 && members.every((one) => one.session === pid && one.start >= start && isOurs(one.pid))
}

function isOurs(pid: number): boolean {
  return systemText(`/proc/${pid}/environ`)
    .split('\0')
    .some((variable) => variable.startsWith('DESKMATES_AGENT='))
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  send(-pid, signal)
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal)
  } catch (error) {
    // None of it is left, or what is left became another user's: no signal can reach it.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/**
 * The first process of a sandbox waits for the program inside, and ends after it. Ended before, it takes the program along at
 * once, which then had no time to end by itself. So only processes inside get the signal.
 */
function signalInside(pid: number, signal: NodeJS.Signals): void {
  const inside = isLinux ? membersOf(pid).filter((one) => namespacesOf(one.pid) > namespacesOf(pid)) : []
  if (inside.length === 0) return signalGroup(pid, signal)
  for (const one of inside) send(one.pid, signal)
}

/** In how many namespaces of processes, one inside of the other, a process has a number. */
function namespacesOf(pid: number): number {
  return (
    /^NSpid:(.*)$/m
      .exec(systemText(`/proc/${pid}/status`))?.[1]
      ?.trim()
      .split(/\s+/).length ?? 0
  )
}

async function isGoneWithin(pid: number, milliseconds: number): Promise<boolean> {
  for (let waited = 0, pause = 5; isGroupAlive(pid); waited += pause, pause = Math.min(pause * 2, 100)) {
    if (waited >= milliseconds) return false
    await delay(pause)
  }
  return true
}

interface Member {
  readonly pid: number
  readonly group: number
  readonly session: number
  readonly start: number
}

/** The processes of a group that run. */
export function membersOf(group: number): Member[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => statOf(Number(pid)) ?? []).filter((one) => one.group === group)
}

/** Undefined for what is gone or dead. The name in `stat` may hold anything, so fields count from its last `)`. */
function statOf(pid: number): Member | undefined {
  const stat = systemText(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (stat === '' || /^[ZXx]$/.test(fields[0] ?? '')) return undefined
  return { pid, group: Number(fields[2]), session: Number(fields[3]), start: Number(fields[19]) }
}

/** Process numbers begin anew with every boot. */
function boot(): string {
  return isLinux
    ? systemText('/proc/sys/kernel/random/boot_id').trim()
    : askProgram('/usr/sbin/sysctl', '-n', 'kern.bootsessionuuid')
}

function macStart(pid: number): string {
  return askProgram('/bin/ps', '-o', 'lstart=', '-p', String(pid)).replaceAll(' ', '_')
}
