import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { PrepareFailed } from './failure.mjs'
import { putInPlace } from './node-binaries.mjs'

/** Clients are cached per user, outside of every checkout: they are large, and no dependency of this project. */
function clientsFolder(env) {
  return join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'deskmates', 'clients')
}

/**
 * The folder in which this package is installed, fetched by `npm` if it is not here yet. Install scripts do not run: a client whose
 * program comes in a package of its own for each platform is installed as that package.
 */
export async function installClient({ name, version }, npm, env = process.env) {
  const cache = clientsFolder(env)
  const target = join(cache, `${name.replaceAll('/', '+')}-${version}`)
  const installed = join(target, 'node_modules', ...name.split('/'))
  if (existsSync(installed)) return installed
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, '.fetching-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{ "private": true }')
    await npm(['install', '--ignore-scripts', '--no-package-lock', '--no-bin-links', `${name}@${version}`], folder)
    putInPlace(folder, target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  if (existsSync(installed)) return installed
  throw new PrepareFailed(
    `${name}@${version} is not in ${target} after its installation. Remove that folder and retry.`,
  )
}
