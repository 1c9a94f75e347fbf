import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// Contents, not times: a checkout, a copy or a `touch` changes times and nothing else. Reading a few hundred small
// files costs a few milliseconds, which is all that `bin/deskmates` pays when nothing changed.

/** What `node_modules` must have been installed for. */
export function modulesFingerprint(root) {
  const machine = `${process.versions.node.split('.')[0]} ${process.platform} ${process.arch}`
  return hash(root, ['package-lock.json'], machine)
}

/** What `dist` must have been built from. */
export function distFingerprint(root) {
  return hash(root, [...buildInputs, ...sourcesIn(root, 'src')])
}

/** What the programs of `test/workers` must have been built from; empty when there are none. */
export function workersFingerprint(root) {
  if (!sourcesIn(root, 'test/workers').some((path) => path.endsWith('.ts'))) return ''
  return hash(root, [...buildInputs, ...sourcesIn(root, 'src'), ...sourcesIn(root, 'test')])
}

/** The fingerprint kept in `dist`, and whether type declarations were built along. */
export function readDistStamp(root) {
  const [fingerprint, types] = readStamp(join(root, 'dist', '.stamp')).split(' ')
  return { fingerprint, types: types === 'types' }
}

/** The content of a stamp; empty when there is none. */
export function readStamp(path) {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return ''
    throw error
  }
}

const buildInputs = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsdown.config.ts']

function hash(root, paths, extra = '') {
  const sum = createHash('sha256').update(extra)
  for (const path of paths) {
    const content = readFileSync(join(root, path))
    sum.update(`\0${path}\0${content.length}\0`).update(content)
  }
  return sum.digest('hex').slice(0, 32)
}

function sourcesIn(root, folder) {
  let entries
  try {
    entries = readdirSync(join(root, folder), { withFileTypes: true })
  } catch (error) {
    if (error.code === 'ENOENT') return []
    throw error
  }
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return sourcesIn(root, path)
      return entry.isFile() && !entry.name.endsWith('.test.ts') ? [path] : []
    })
}
