import { isInsideAny } from '../paths/places.ts'
import { rulesInside, type SandboxProfile } from './profile.ts'

/**
 * The same profile as a profile for sandbox-exec of macOS. Of all rules that match the last one counts. A name can be
 * denied there before it exists; folders cannot be shown empty, so what would be in them is denied instead.
 */
export function seatbeltProfile(profile: SandboxProfile): string {
  const { writable, canWrite, tmp, home, emptied, shown, hidden, absent, hasNetwork } = profile
  const closed = [...emptied, ...(home ? [home.real] : [])]
  const own = [tmp, ...(home ? [home.inside] : [])]
  return [
    '(version 1)',
    '(deny default)',
    ...BASE,
    hasNetwork ? '(allow network*)' : '(deny network*)',
    // To connect to a socket is no reading of its file.
    ...[...closed, ...hidden.map(({ path }) => path)].map((path) => deny('network-outbound', below(path))),
    '(allow file-read*)',
    ...SYSTEM_SECRETS.map((path) => deny('file-read* file-write*', below(path))),
    ...closed.map((path) => deny('file-read* file-write*', below(path))),
    // Programs look at every folder on the way to theirs.
    ...closed.map((path) => allow('file-read-metadata', below(path))),
    ...shown.map((path) => allow('file-read*', below(path))),
    ...own.map((path) => allow('file-read* file-write*', below(path))),
    ...hidden
      .filter(({ path }) => !isInsideAny(writable, path))
      .map(({ path }) => deny('file-read* file-write*', below(path))),
    ...writable.map((path) => allow(canWrite ? 'file-read* file-write*' : 'file-read*', below(path))),
    ...rulesInside(profile).flatMap((rule) => {
      if (rule.kind === 'hidden') return [deny('file-read* file-write*', below(rule.path))]
      if (rule.kind === 'read-only') return [deny('file-write*', below(rule.path))]
      return canWrite && profile.pinned.includes(rule.path) ? [allow('file-write*', inside(rule.path))] : []
    }),
    // Moving a folder on the way would move the rule's subject away from it.
    ...[...writable, ...rulesInside(profile).map(({ path }) => path)].map((path) =>
      deny('file-write-unlink', `(literal ${quoted(path)})`),
    ),
    ...absent.map((path) => deny('file-write*', below(path))),
    '',
  ].join('\n')
}

/** What every program needs to run at all: processes, terminals, and the services that names of users come from. */
const BASE = [
  '(allow process-exec)',
  '(allow process-fork)',
  '(allow process-info* (target same-sandbox))',
  '(allow signal (target same-sandbox))',
  '(allow sysctl-read)',
  '(allow ipc-posix-sem)',
  '(allow ipc-posix-shm)',
  '(allow pseudo-tty)',
  '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
  '(allow mach-lookup (global-name "com.apple.system.logger"))',
  '(allow mach-lookup (global-name "com.apple.trustd.agent"))',
  '(allow file-read* file-write* file-ioctl (literal "/dev/ptmx") (literal "/dev/tty") (regex #"^/dev/ttys[0-9]+$"))',
  '(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/stdout") (literal "/dev/stderr"))',
  '(allow file-read* file-write-data (regex #"^/dev/fd/[0-9]+$"))',
]

/** Under /private on a Mac; other users' homes are denied with /Users where home is shown as empty. */
const SYSTEM_SECRETS = [
  '/private/etc/master.passwd',
  '/private/etc/sudoers',
  '/private/etc/ssh',
  '/private/var/db/dslocal',
]

function allow(what: string, where: string): string {
  return `(allow ${what} ${where})`
}

function deny(what: string, where: string): string {
  return `(deny ${what} ${where})`
}

function below(path: string): string {
  return `(subpath ${quoted(path)})`
}

/** Below a folder, but not the folder itself. */
function inside(path: string): string {
  return `(require-all (subpath ${quoted(path)}) (require-not (literal ${quoted(path)})))`
}

function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
