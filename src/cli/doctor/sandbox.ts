import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { ulid } from 'ulid'
import { resourceLimits } from '../../permissions/processes/resource-limits.ts'
import { bubblewrapArgs } from '../../permissions/sandbox/bubblewrap.ts'
import { buildProfile } from '../../permissions/sandbox/build-profile.ts'
import { protectedGit } from '../../permissions/sandbox/git/git-folders.ts'
import { removeLeftFolders } from '../../permissions/sandbox/left-folders.ts'
import { INSTALL, remedyFor } from '../../permissions/sandbox/probe.ts'
import { look } from '../../stores/identity.ts'
import { counted } from '../../team/wording.ts'
import { oneLine } from '../output/format.ts'
import { isNotInstalled } from './children.ts'
import { type Examination, fail, notAvailable, pass } from './examination.ts'

const IMPOSTOR = `Is the bwrap on your PATH the real one? ${INSTALL}`

/** The profile is generated and tested as text; this note stays until it has run on a Mac. */
const NOT_TRIED = 'the sandbox for macOS (sandbox-exec) has not been tried on a Mac yet'

/** What tries to get out: writes a file, and looks for a network. */
const PRISONER = 'echo out 2>/dev/null > "$1"; cat /proc/net/dev'

/** Whether commands can be kept in here as agents' commands are, with the very same arguments. */
export const sandbox: Examination = {
  name: 'sandbox',
  onDisk: false,
  remedy: INSTALL,
  async examine({ call, run }) {
    const left = removeLeftFolders((runtime) => look(runtime) === 'dead')
    if (process.platform === 'darwin') return notAvailable(NOT_TRIED, 'Work in a container or on Linux to be certain')
    if (process.platform !== 'linux')
      return notAvailable('there is no sandbox for this system', 'Work in a container or on Linux')
    const own = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-doctor-')))
    const escaped = join(tmpdir(), `deskmates-doctor-${ulid()}`)
    try {
      const ran = (forbidsUserns: boolean) =>
        run('bwrap', [...cell(own, call.env, forbidsUserns), 'sh', '-c', PRISONER, 'sh', escaped], tmpdir())
      let end = await ran(true)
      // As for agents: an older one will do, but not for root.
      if (end.code !== 0 && end.stderr.includes('--disable-userns') && process.getuid?.() !== 0) end = await ran(false)
      const { code, stdout, stderr } = end
      if (existsSync(escaped)) return fail('a command in bubblewrap wrote a file outside of it', IMPOSTOR)
      if (code !== 0) {
        const reason = oneLine(stderr || `it ended with ${code}`)
        return notAvailable(`bubblewrap does not work here: ${reason}`, remedyFor(reason))
      }
      if (networks(stdout).length > 0)
        return fail(`a command in bubblewrap sees the network ${networks(stdout).join(', ')}`, IMPOSTOR)
      const removed = left === 0 ? '' : `; removed ${counted(left, 'folder', 'folders')} that killed sessions had left`
      return pass(`bubblewrap keeps a command from writing and from the network${removed}`)
    } catch (error) {
      if (!isNotInstalled(error)) throw error
      return notAvailable('bubblewrap (bwrap) is not installed', INSTALL)
    } finally {
      for (const path of [escaped, own]) rmSync(path, { recursive: true, force: true })
    }
  },
}

/** The arguments for a workspace of its own. */
function cell(own: string, env: Readonly<Record<string, string | undefined>>, forbidsUserns: boolean): string[] {
  const [root, tmp, inside] = ['work', 'tmp', 'home'].map((name) => join(own, name)) as [string, string, string]
  for (const folder of [root, tmp, inside]) mkdirSync(folder, { recursive: true })
  const home = env.HOME || homedir()
  const profile = buildProfile({
    root,
    folders: [],
    tmp,
    home: existsSync(home) && home !== '/' ? { real: realpathSync(home), inside } : undefined,
    hidden: [],
    kept: [],
    git: protectedGit([], [root]),
    scripts: [],
    path: (env.PATH ?? '').split(delimiter).filter(Boolean),
    canWrite: true,
    hasNetwork: false,
    limits: resourceLimits(),
  })
  return bubblewrapArgs(profile, { forbidsUserns })
}

/** Interfaces of /proc/net/dev other than a namespace's own loopback. */
function networks(text: string): string[] {
  return [...text.matchAll(/^\s*(\S+):/gm)].map(([, name = '']) => name).filter((name) => name !== 'lo')
}
