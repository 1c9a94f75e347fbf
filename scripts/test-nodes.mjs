// Installs the package as its users do and runs it on every Node line we support: npm run test:nodes [-- 22 24 …]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Interrupted, report } from './failure.mjs'
import { choose, openCache, packageFor, pinned } from './node-binaries.mjs'
import { installPackage, openNpm } from './packed.mjs'
import { prove } from './proofs.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => interrupted.abort(new Interrupted(signal)))
const npm = openNpm(interrupted.signal)

const folder = mkdtempSync(join(tmpdir(), 'deskmates-nodes-'))
try {
  process.exitCode = await testNodes(process.argv.slice(2))
} catch (error) {
  process.exitCode = report(interrupted.signal.aborted ? interrupted.signal.reason : error, root)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Prints a line for each Node and returns the exit code. */
async function testNodes(wanted) {
  const unknown = wanted.filter((line) => !Object.hasOwn(pinned, line))
  if (unknown.length > 0) {
    console.error(`deskmates: ${unknown.join(', ')} is not one of the Node lines ${Object.keys(pinned).join(', ')}`)
    return 2
  }
  const name = packageFor(process.platform, process.arch, isGlibc())
  if (name === undefined) {
    console.log(`not available: npm has no Node package for ${process.platform} ${process.arch}`)
    return 0
  }
  const app = await installPackage(root, folder, npm)
  const published = await publishedVersions(name)
  const failures = []
  for (const line of wanted.length > 0 ? wanted : Object.keys(pinned)) {
    const failed = await testLine({ line, name, published, app })
    if (failed.length > 0) failures.push(`Node ${line} (${failed.join('; ')})`)
  }
  if (failures.length > 0) console.error(`deskmates: failed on ${failures.join(', ')}`)
  return failures.length > 0 ? 1 : 0
}

async function testLine({ line, name, published, app }) {
  const cache = openCache()
  const known = cache.versions(name)
  const { version, unavailable } = choose(line, name, published, known)
  if (version === undefined) {
    console.log(`Node ${line.padEnd(8)}  not available: ${unavailable}`)
    return []
  }
  if (!known.includes(version)) console.error(`deskmates: fetching ${name} ${version} into ${cache.folder}`)
  const node = await cache.node(name, version, npm)
  const began = performance.now()
  const { held, failed } = await prove({ node, version, app, folder, signal: interrupted.signal })
  const verdict = failed.length === 0 ? `ok      ${held.join(', ')}` : `failed  ${failed.join('; ')}`
  console.log(`Node ${version.padEnd(8)}  ${verdict}  (${((performance.now() - began) / 1000).toFixed(1)} s)`)
  return failed
}

/** Undefined when the registry cannot be asked. */
async function publishedVersions(name) {
  try {
    return JSON.parse(await npm(['view', name, 'versions', '--json', '--fetch-retries=1'], folder))
  } catch (error) {
    if (interrupted.signal.aborted) throw error
    console.error(`deskmates: the registry does not list the versions of ${name}, so the newest known one is used`)
    return undefined
  }
}

function isGlibc() {
  return process.report.getReport().header.glibcVersionRuntime !== undefined
}
