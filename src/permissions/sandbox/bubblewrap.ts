import { isInside, isInsideAny } from '../paths/places.ts'
import { pinnedMountPoints } from './mount-points.ts'
import { type PathRule, rulesInside, type SandboxProfile } from './profile.ts'

/** The arguments for bubblewrap, up to the program that is to run inside. Later mounts lie on top of earlier ones. */
export function bubblewrapArgs(profile: SandboxProfile, { forbidsUserns }: BubblewrapOptions): string[] {
  const { root, writable, canWrite, tmp, home, emptied, shown, hidden, hasNetwork } = profile
  const inHome = (path: string) => home !== undefined && isInside(home.real, path)
  const pins = (folder: string) =>
    pinnedMountPoints(profile, folder).flatMap(({ from, to }) => ['--bind-try', from, to])
  return [
    ...['--unshare-all', '--unshare-user', ...(hasNetwork ? ['--share-net'] : []), '--die-with-parent'],
    ...['--cap-drop', 'ALL', ...(forbidsUserns ? ['--disable-userns'] : [])],
    // Bubblewrap leaves /proc/sys open to root, whose commands could then change the kernel's settings.
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--remount-ro', '/proc'],
    ...emptied.flatMap((path) => ['--tmpfs', path]),
    ...['--bind', tmp, '/tmp', ...pins('/tmp')],
    ...shown.filter((path) => !inHome(path)).flatMap(readOnly),
    ...(home ? ['--bind', home.inside, home.real, ...pins(home.real), ...shown.filter(inHome).flatMap(readOnly)] : []),
    ...hidden.filter(({ path }) => !isInsideAny(writable, path)).flatMap(hide),
    ...writable.flatMap((folder) => [canWrite ? '--bind' : '--ro-bind', folder, folder]),
    ...rulesInside(profile).flatMap((rule) => (canWrite || rule.kind === 'hidden' ? mount(rule) : [])),
    ...['--chdir', root],
  ]
}

export interface BubblewrapOptions {
  /** Not every bubblewrap knows --disable-userns. */
  readonly forbidsUserns: boolean
}

function mount(rule: PathRule): string[] {
  if (rule.kind === 'hidden') return hide(rule)
  return rule.kind === 'read-only' ? readOnly(rule.path) : ['--bind', rule.path, rule.path]
}

function hide({ path, isFolder }: { path: string; isFolder: boolean }): string[] {
  // Bound without devices: a program that opens it is refused.
  return isFolder ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path]
}

function readOnly(path: string): string[] {
  return ['--ro-bind', path, path]
}
