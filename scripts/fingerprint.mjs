import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// Contents decide, not times: a checkout, a copy or a `touch` changes times only. `look` is the shortcut of
// `bin/deskmates`: sources with the same sizes, times and inodes as at the last comparison are not read again.

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

/** How the sources of `dist` look without reading them: size, times and inode of each, and the newest time. */
export function look(root) {
  let newest = 0
  const lines = [...buildInputs, ...sourcesIn(root, 'src')].map((path) => {
    const { size, ino, mtimeMs, ctimeMs } = lstatSync(join(root, path))
    newest = Math.max(newest, ctimeMs)
    return `${path} ${size} ${ino} ${mtimeMs} ${ctimeMs}`
  })
  return { text: lines.join('\n'), newest }
}

/** Whether `dist` was found current for sources that looked just like this. */
export function isKnown(root, { text }) {
  return readStamp(knownPath(root)) === `${readDistStamp(root).fingerprint}\n${text}`
}

/** Remembers, if it can, that `dist` is current for sources that looked like this before they were read. */
export function remember(root, { text, newest }) {
  // A second write within the clock's tick would look the same, so what is this fresh is read again next time.
  if (Date.now() - newest < 1000) return
  try {
    mkdirSync(join(root, '.build'), { recursive: true })
    writeFileSync(knownPath(root), `${readDistStamp(root).fingerprint}\n${text}`)
  } catch {
    // A read-only checkout only loses the shortcut.
  }
}

const knownPath = (root) => join(root, '.build', 'known')

const buildInputs = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsdown.config.ts']

function hash(root, paths, extra = '') {
  // Loaded only here, since loading it takes longer than looking.
  const sum = process.getBuiltinModule('node:crypto').createHash('sha256').update(extra)
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
