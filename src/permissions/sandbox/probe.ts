import { join } from 'node:path'
import { systemText } from '../paths/safe-reads.ts'
import { runProgram } from '../processes/run-program.ts'
import { bubblewrapArgs } from './bubblewrap.ts'
import type { SandboxProfile } from './profile.ts'
import { seatbeltProfile } from './seatbelt.ts'

/** Whether the sandbox works on this machine, found out by running a command in it. */
export type Probe =
  | { readonly works: true; readonly forbidsUserns: boolean }
  | { readonly works: false; readonly cause: string; readonly remedy: string }

export const INSTALL =
  'Install the package bubblewrap (apt install bubblewrap, dnf install bubblewrap, apk add bubblewrap)'

/** Prints `inside` only where it can write where it may, nowhere else, and sees no network. */
export const PROBE_COMMAND =
  process.platform === 'darwin'
    ? 'test -w . && ! touch /usr/local/deskmates-probe 2>/dev/null && ! nc -z -w 1 127.0.0.1 1 2>/dev/null && echo inside'
    : 'test -w . && ! test -w /usr && ! test -w /etc && test "$(grep -c : /proc/net/dev)" = 1 && echo inside'

/** The program that makes the sandbox on this system. */
export const PROGRAM = process.platform === 'darwin' ? 'sandbox-exec' : 'bwrap'

/** How a program is started inside of an profile. */
export function prefixFor(program: string, profile: SandboxProfile, found: Extract<Probe, { works: true }>): string[] {
  if (process.platform === 'darwin') return [program, '-p', seatbeltProfile(profile)]
  return [program, ...bubblewrapArgs(profile, found)]
}

/** Tries a command inside, with --disable-userns if this bubblewrap knows it. Never throws, never hangs. */
export async function probe(program: string | undefined, profile: SandboxProfile, env: Env): Promise<Probe> {
  if (process.platform !== 'linux' && process.platform !== 'darwin')
    return {
      works: false,
      cause: 'there is no sandbox for this system',
      remedy: 'Work in a container or on Linux where commands must be kept in',
    }
  if (program === undefined)
    return process.platform === 'darwin'
      ? { works: false, cause: 'sandbox-exec is not on the PATH', remedy: 'Add /usr/bin to the PATH' }
      : { works: false, cause: 'bubblewrap (bwrap) is not installed', remedy: INSTALL }
  const trial = (forbidsUserns: boolean) =>
    attempt(prefixFor(program, profile, { works: true, forbidsUserns }), profile.root, env)
  const first = await trial(true)
  if (first === undefined) return { works: true, forbidsUserns: true }
  // Root that keeps the right to make namespaces could leave the sandbox.
  const second = first.isOld && process.getuid?.() !== 0 ? await trial(false) : first
  return second === undefined ? { works: true, forbidsUserns: false } : { works: false, ...second }
}

type Env = Readonly<Record<string, string | undefined>>

async function attempt([file = '', ...args]: string[], cwd: string, env: Env): Promise<Refusal | undefined> {
  const run = { file, args: [...args, '/bin/sh', '-c', PROBE_COMMAND], cwd, env, timeout: PROBE_TIMEOUT_MS }
  const { code, stdout, stderr, error } = await runProgram(run)
  if (error && code === null)
    return { isOld: false, cause: `bubblewrap cannot be started (${error.message})`, remedy: INSTALL }
  if (code === 0 && stdout.trim() === 'inside') return undefined
  const said = stderr.trim().split('\n')[0]?.slice(0, 300) ?? ''
  const isOld = /--disable-userns/.test(said)
  if (isOld) return { isOld, cause: `bubblewrap is too old here: ${said}`, remedy: 'Install bubblewrap 0.8 or newer' }
  return { isOld, cause: `bubblewrap does not work here: ${said || `it ended with ${code}`}`, remedy: remedyFor(said) }
}

interface Refusal {
  readonly isOld: boolean
  readonly cause: string
  readonly remedy: string
}

const PROBE_TIMEOUT_MS = 10_000

/** Who forbids user namespaces, which bubblewrap is made of. The kernel says so; a container can only be guessed. */
export function remedyFor(said = ''): string {
  if (said === '' && process.getuid?.() === 0)
    return 'Does this folder belong to another user? Work as that user, or let the container be the sandbox'
  if (setting('kernel/apparmor_restrict_unprivileged_userns') === '1')
    return 'AppArmor keeps user namespaces from programs without a profile: install the package apparmor-profiles, or sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0'
  if (setting('kernel/unprivileged_userns_clone') === '0')
    return 'User namespaces are switched off: sudo sysctl kernel.unprivileged_userns_clone=1'
  if (setting('user/max_user_namespaces') === '0')
    return 'User namespaces are switched off: sudo sysctl user.max_user_namespaces=15000'
  return 'Allow user namespaces. In a container: docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined …, or let the container be the sandbox'
}

/** Empty where this kernel does not have it. */
function setting(name: string): string {
  return systemText(join('/proc/sys', name)).trim()
}
