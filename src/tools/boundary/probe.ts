import { spawn } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { isInside } from '../paths/territory.ts'

/** Whether commands can be kept in here, found out by keeping one in. */
export type Probe =
  | { readonly works: true; readonly forbidsUserns: boolean }
  | { readonly works: false; readonly cause: string; readonly remedy: string }

export const INSTALL =
  'Install the package bubblewrap (apt install bubblewrap, dnf install bubblewrap, apk add bubblewrap)'

/** What a prisoner says who is really inside: it can write where it may, nowhere else, and sees no network. */
export const PRISONER =
  'test -w . && ! test -w /usr && ! test -w /etc && test "$(grep -c : /proc/net/dev)" = 1 && echo inside'

/** Bubblewrap itself. Not one in a folder that agents can write to: on the PATH there may be such. */
export function findBubblewrap(path: readonly string[], open: readonly string[]): string | undefined {
  return path
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, 'bwrap'))
    .filter((file) => existsSync(file))
    .find((file) => !open.some((folder) => isInside(folder, file) || isInside(folder, realpathSync(file))))
}

/** Tries a command inside, with --disable-userns if this bubblewrap knows it. Never throws, never hangs. */
export async function probe(
  program: string | undefined,
  argsFor: (forbidsUserns: boolean) => string[],
  env: Env,
): Promise<Probe> {
  if (process.platform !== 'linux')
    return {
      works: false,
      cause: 'bubblewrap needs Linux',
      remedy: 'Work in a container or on Linux where commands must be kept in',
    }
  if (program === undefined) return { works: false, cause: 'bubblewrap (bwrap) is not installed', remedy: INSTALL }
  const first = await attempt(program, argsFor(true), env)
  if (first === undefined) return { works: true, forbidsUserns: true }
  // Who is root and keeps the right to make namespaces keeps too much.
  const second = first.isOld && process.getuid?.() !== 0 ? await attempt(program, argsFor(false), env) : first
  return second === undefined ? { works: true, forbidsUserns: false } : { works: false, ...second }
}

type Env = Readonly<Record<string, string | undefined>>

async function attempt(program: string, args: readonly string[], env: Env): Promise<Refusal | undefined> {
  const { code, stdout, stderr, error } = await run(program, [...args, '/bin/sh', '-c', PRISONER], env)
  if (error) return { isOld: false, cause: `bubblewrap cannot be started (${error.message})`, remedy: INSTALL }
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

const PATIENCE = 10_000

function run(program: string, args: readonly string[], { PATH, ...env }: Env) {
  return new Promise<{ code: number | null; stdout: string; stderr: string; error?: NodeJS.ErrnoException }>((done) => {
    const child = spawn(program, args, {
      env: { ...env, PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: PATIENCE,
      killSignal: 'SIGKILL',
    })
    const said = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        said[name] = (said[name] + text).slice(0, 10_000)
      })
    child.once('error', (error) => done({ code: null, ...said, error }))
    child.once('close', (code) => done({ code, ...said }))
  })
}

/** Who forbids user namespaces, which bubblewrap is made of. The kernel says so; a container can only be guessed. */
export function remedyFor(said = ''): string {
  if (said === '' && process.getuid?.() === 0)
    return 'Does this folder belong to another user? Work as that user, or take the container itself for the boundary'
  if (setting('kernel/apparmor_restrict_unprivileged_userns') === '1')
    return 'AppArmor keeps user namespaces from programs without a profile: install the package apparmor-profiles, or sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0'
  if (setting('kernel/unprivileged_userns_clone') === '0')
    return 'User namespaces are switched off: sudo sysctl kernel.unprivileged_userns_clone=1'
  if (setting('user/max_user_namespaces') === '0')
    return 'User namespaces are switched off: sudo sysctl user.max_user_namespaces=15000'
  return 'Allow user namespaces. In a container: docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined …, or take the container itself for the boundary'
}

function setting(name: string): string | undefined {
  try {
    return readFileSync(join('/proc/sys', name), 'utf8').trim()
  } catch {
    // Not every kernel has every one of them.
    return undefined
  }
}
