import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Goes up when a template is made in another way. */
const VERSION = 1

/**
 * The files of a new server in `data`. Making them takes a second or more of a core, so it is done once for each version of
 * PostgreSQL; they are kept in `.build`, and every further server begins with a copy.
 */
export function copyTemplate(bin, data, about) {
  const kept = join(fileURLToPath(new URL('../../.build/postgres/', import.meta.url)), keyOf(bin, about))
  if (!existsSync(kept)) makeTemplate(bin, kept, about)
  cpSync(kept, data, { recursive: true })
}

function keyOf(bin, { walSegment }) {
  const { stdout } = spawnSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' })
  const parts = [VERSION, stdout.trim(), walSegment, process.getuid?.()]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}

/** Made under another name and renamed in one step: other processes may be making it too, and a later one discards its own. */
function makeTemplate(bin, kept, about) {
  const folder = mkdtempSync(join(tmpdir(), 'dmpg-'))
  const unfinished = `${kept}-${process.pid}`
  try {
    chmodSync(folder, 0o755)
    const data = join(folder, 'data')
    mkdirSync(data)
    if (about.user.uid !== undefined) chownSync(data, about.user.uid, about.user.gid)
    initialise(bin, folder, data, about)
    cpSync(data, unfinished, { recursive: true })
    renameSync(unfinished, kept)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error
  } finally {
    for (const path of [folder, unfinished]) rmSync(path, { recursive: true, force: true })
  }
}

function initialise(bin, folder, data, { walSegment, superuser, password, user }) {
  const secret = join(folder, 'password')
  writeFileSync(secret, password)
  chmodSync(secret, 0o644)
  const access = ['-U', superuser, '--pwfile', secret, '-A', 'trust', '--auth-host=trust']
  const kind = ['-E', 'UTF8', '--locale=C', `--wal-segsize=${walSegment}`, '--no-sync', '--no-instructions']
  run(bin, 'initdb', ['-D', data, ...access, ...kind], { user })
  // No other database is created here, and two thirds of the files are for that.
  run(bin, 'postgres', ['--single', '-D', data, 'postgres'], { user, input: WITHOUT_TEMPLATES })
}

const WITHOUT_TEMPLATES = `update pg_database set datistemplate = false
drop database template0
drop database template1
`

export function run(bin, program, args, { user, input }) {
  const options = { cwd: '/', encoding: 'utf8', input, ...user }
  const { status, stderr, stdout, error } = spawnSync(join(bin, program), args, options)
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? `${stdout}${stderr}`.trim()}`)
}
