import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { ulid } from 'ulid'
import { bubblewrapArgs } from '../../tools/boundary/bubblewrap.ts'
import { INSTALL, remedyFor } from '../../tools/boundary/probe.ts'
import { oneLine } from '../screen.ts'
import { isNotInstalled } from './children.ts'
import { type Examination, fail, notAvailable, pass } from './examination.ts'

const IMPOSTOR = `Is the bwrap on your PATH the real one? ${INSTALL}`

/** What tries to get out: writes a file, and looks for a network. */
const PRISONER = 'echo out 2>/dev/null > "$1"; cat /proc/net/dev'

/** Whether commands can be kept in here as agents' commands are, with the very same arguments. */
export const sandbox: Examination = {
  name: 'sandbox',
  onDisk: false,
  remedy: INSTALL,
  async examine({ call, run }) {
    if (process.platform !== 'linux')
      return notAvailable('bubblewrap needs Linux', 'Work in a container or on Linux where commands must be kept in')
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
        const said = oneLine(stderr || `it ended with ${code}`)
        return notAvailable(`bubblewrap does not work here: ${said}`, remedyFor(said))
      }
      if (networks(stdout).length > 0)
        return fail(`a command in bubblewrap sees the network ${networks(stdout).join(', ')}`, IMPOSTOR)
      return pass('bubblewrap keeps a command from writing and from the network')
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
  return bubblewrapArgs({
    root,
    folders: [],
    tmp,
    home: existsSync(home) && home !== '/' ? { real: realpathSync(home), inside } : undefined,
    hidden: [],
    kept: [],
    path: (env.PATH ?? '').split(delimiter).filter(Boolean),
    hasNetwork: false,
    forbidsUserns,
  })
}

/** Interfaces of /proc/net/dev other than a namespace's own loopback. */
function networks(text: string): string[] {
  return [...text.matchAll(/^\s*(\S+):/gm)].map(([, name = '']) => name).filter((name) => name !== 'lo')
}
