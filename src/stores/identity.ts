import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { RuntimeId } from '../journal/log/store.ts'

export type Liveness = 'alive' | 'dead' | 'unknown'

/**
 * The id of this process: machine, boot, pid namespace, pid and start time in one string that is safe as a file name. It
 * carries everything that `look` needs, so no other file has to be read.
 */
export function thisRuntime(): RuntimeId {
  own ??= runtimeOf(process.pid)
  return own
}

/**
 * `dead` only on proof: another boot of this machine, no process with the pid, or a later process with the pid. Silence
 * proves nothing: a debugger, SIGSTOP or a closed laptop may be the cause. Other machines and namespaces are `unknown`.
 */
export function look(runtime: RuntimeId): Liveness {
  if (runtime === thisRuntime()) return 'alive'
  const [, machine, boot, namespace, pid, start] = FORM.exec(runtime) ?? []
  const here = machineOf()
  if (start === undefined || machine !== here.machine || boot === UNKNOWN || here.boot === UNKNOWN) return 'unknown'
  if (boot !== here.boot) return 'dead'
  if (namespace !== here.namespace || namespace === UNKNOWN || start === UNKNOWN) return 'unknown'
  const now = startOf(Number(pid))
  if (now === UNKNOWN) return 'unknown'
  return now === start ? 'alive' : 'dead'
}

/**
 * Whether a process of this boot and pid namespace has ended. Machine images are copied with their machine id, so in a
 * database that many machines share another boot proves nothing.
 */
export function hasEndedHere(runtime: RuntimeId): boolean {
  return isOfThisBoot(runtime) && look(runtime) === 'dead'
}

/** Whether a process of this boot and pid namespace still runs. */
export function runsHere(runtime: RuntimeId): boolean {
  return isOfThisBoot(runtime) && look(runtime) === 'alive'
}

function isOfThisBoot(runtime: RuntimeId): boolean {
  const boot = FORM.exec(runtime)?.[2]
  return boot !== UNKNOWN && boot === machineOf().boot
}

/** The machine part of the ids of its processes. */
export function thisMachine(): string {
  return machineOf().machine
}

/** The id of another process of this machine and namespace. */
export function runtimeOf(pid: number): RuntimeId {
  const { machine, boot, namespace } = machineOf()
  return `r-${machine}-${boot}-${namespace}-${pid}-${startOf(pid) ?? UNKNOWN}`
}

/** The pid, to show to people; the whole id if it holds none. */
export function pidIn(runtime: RuntimeId): string {
  return FORM.exec(runtime)?.[4] ?? runtime
}

/** r-machine-boot-namespace-pid-start. */
const FORM = /^r-([0-9a-f]{12})-([0-9a-f]{12}|x)-(\d{1,20}|x)-(\d{1,10})-(\d{1,20}|x)$/

/** A part that this system does not tell; it never proves that a process is dead. */
const UNKNOWN = 'x'

interface Machine {
  readonly machine: string
  readonly boot: string
  readonly namespace: string
}

let own: RuntimeId | undefined
let ownMachine: Machine | undefined

function machineOf(): Machine {
  ownMachine ??= process.platform === 'darwin' ? macMachine() : linuxMachine()
  return ownMachine
}

/** The start time of the process with this pid; undefined if there is none (a zombie counts as none). */
function startOf(pid: number): string | undefined {
  return process.platform === 'darwin' ? macStart(pid) : linuxStart(pid)
}

function linuxMachine(): Machine {
  const machine = read('/etc/machine-id') || read('/var/lib/dbus/machine-id') || `host ${hostname()}`
  const boot = read('/proc/sys/kernel/random/boot_id')
  // In a new pid namespace without its own /proc the pids in there belong to another namespace.
  const procIsOurs = link('/proc/self') === String(process.pid)
  const namespace = procIsOurs ? /\[(\d+)\]/.exec(link('/proc/self/ns/pid'))?.[1] : undefined
  return { machine: short(machine), boot: boot ? short(boot) : UNKNOWN, namespace: namespace ?? UNKNOWN }
}

function linuxStart(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`)
  if (!stat) return isGone(pid) ? undefined : UNKNOWN
  return startInStat(stat)
}

/** The command name in `stat` may hold spaces and parentheses, so the fields are counted from the last one. */
export function startInStat(stat: string): string | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, start] = [fields[0], fields[19]]
  if (state === 'Z' || state === 'X' || state === 'x') return undefined
  return start !== undefined && /^\d+$/.test(start) ? start : UNKNOWN
}

/** With `hidepid` /proc does not show other users' processes; a signal still finds them. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

function macMachine(): Machine {
  const platform = run('/usr/sbin/ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice'])
  const machine = /"IOPlatformUUID" = "([^"]+)"/.exec(platform)?.[1] ?? `host ${hostname()}`
  const boot = run('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'])
  return { machine: short(machine), boot: boot ? short(boot) : UNKNOWN, namespace: '0' }
}

function macStart(pid: number): string | undefined {
  const line = run('/bin/ps', ['-o', 'state=', '-o', 'lstart=', '-p', String(pid)])
  if (!line) return isGone(pid) ? undefined : UNKNOWN
  if (line.startsWith('Z')) return undefined
  const started = Date.parse(`${line.replace(/^\S+\s+/, '')} UTC`)
  return Number.isNaN(started) ? UNKNOWN : String(started / 1000)
}

function short(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return ''
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function run(command: string, args: string[]): string {
  try {
    const env = { LC_ALL: 'C', TZ: 'UTC' }
    return execFileSync(command, args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}
