import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ulid } from 'ulid'
import { oneLine } from '../screen.ts'
import { isNotInstalled } from './children.ts'
import { type Examination, fail, notAvailable, pass } from './examination.ts'

const INSTALL = 'Install the package bubblewrap (apt install bubblewrap, dnf install bubblewrap, apk add bubblewrap)'
const IMPOSTOR = `Is the bwrap on your PATH the real one? ${INSTALL}`

/** All namespaces of its own, and the file system only to be read. */
const BOUNDARY = ['--unshare-all', '--die-with-parent', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc']

/** What tries to get out: writes a file, and looks for a network. */
const PRISONER = 'echo out 2>/dev/null > "$1"; cat /proc/net/dev'

/** Whether a command can be kept from the rest of this machine, by bubblewrap. */
export const sandbox: Examination = {
  name: 'sandbox',
  onDisk: false,
  remedy: INSTALL,
  async examine({ run }) {
    if (process.platform !== 'linux')
      return notAvailable('bubblewrap needs Linux', 'Work in a container or on Linux where commands must be kept in')
    const escaped = join(tmpdir(), `deskmates-doctor-${ulid()}`)
    try {
      const { code, stdout, stderr } = await run('bwrap', [...BOUNDARY, 'sh', '-c', PRISONER, 'sh', escaped], tmpdir())
      if (existsSync(escaped)) return fail('a command in bubblewrap wrote a file outside of it', IMPOSTOR)
      if (code !== 0)
        return notAvailable(`bubblewrap does not work here: ${oneLine(stderr || `it ended with ${code}`)}`, remedyFor())
      if (networks(stdout).length > 0)
        return fail(`a command in bubblewrap sees the network ${networks(stdout).join(', ')}`, IMPOSTOR)
      return pass('bubblewrap keeps a command from writing and from the network')
    } catch (error) {
      if (!isNotInstalled(error)) throw error
      return notAvailable('bubblewrap (bwrap) is not installed', INSTALL)
    } finally {
      rmSync(escaped, { force: true })
    }
  },
}

/** Interfaces of /proc/net/dev other than a namespace's own loopback. */
function networks(text: string): string[] {
  return [...text.matchAll(/^\s*(\S+):/gm)].map(([, name = '']) => name).filter((name) => name !== 'lo')
}

/** Who forbids user namespaces, which bubblewrap is made of. The kernel says so; a container can only be guessed. */
function remedyFor(): string {
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
