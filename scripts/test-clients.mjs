// Tries other programs as real clients of the built command: npm run test:clients [-- inspector opencode …]
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { openWorld } from '../test/clients/world.mjs'
import { installClient } from './client-packages.mjs'
import { Interrupted, report } from './failure.mjs'
import { openCache, packageFor, pinned } from './node-binaries.mjs'
import { openNpm } from './packed.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => interrupted.abort(new Interrupted(signal)))
const npm = openNpm(interrupted.signal)

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-clients-')))
try {
  process.exitCode = await testClients(process.argv.slice(2))
} catch (error) {
  process.exitCode = report(interrupted.signal.aborted ? interrupted.signal.reason : error, root)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Prints a line for each client and returns the exit code. One that cannot be installed here is named, and does not fail. */
async function testClients(wanted) {
  const clients = join(root, 'test', 'clients')
  const names = readdirSync(clients).flatMap((file) => /^(.+)\.client\.mjs$/.exec(file)?.slice(1) ?? [])
  const unknown = wanted.filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    console.error(`deskmates: ${unknown.join(', ')} is not one of the clients ${names.join(', ')}`)
    return 2
  }
  // All of them work on one board.
  const world = await openWorld({ cli: join(root, 'dist', 'cli.js'), folder, signal: interrupted.signal })
  const failed = []
  for (const name of wanted.length > 0 ? wanted : names) {
    const { client } = await import(pathToFileURL(join(clients, `${name}.client.mjs`)).href)
    if (!(await testClient(client, world))) failed.push(client.title)
    interrupted.signal.throwIfAborted()
  }
  if (failed.length > 0) console.error(`deskmates: failed with ${failed.join(', ')}`)
  return failed.length > 0 ? 1 : 0
}

async function testClient(client, world) {
  const began = performance.now()
  const line = (verdict, text) => {
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    console.log(`${client.title.padEnd(14)}  ${verdict.padEnd(13)}  ${text}  (${seconds} s)`)
  }
  let installed
  try {
    installed = await install(client)
  } catch (error) {
    interrupted.signal.throwIfAborted()
    line('not installed', error.message.split('\n')[0])
    return true
  }
  try {
    line('ok', (await client.prove({ ...world, ...installed })).join(', '))
    return true
  } catch (error) {
    interrupted.signal.throwIfAborted()
    line('failed', error.message)
    return false
  }
}

async function install(client) {
  const wanted = client.package(process.platform, process.arch)
  if (wanted === undefined) throw new Error(`npm has no package of it for ${process.platform} ${process.arch}`)
  const node = client.node === undefined ? process.execPath : await nodeOf(client.node)
  const programs = []
  for (const one of [wanted].flat()) programs.push(join(await installClient(one, npm), one.program))
  return { node, program: programs[0], programs }
}

/** A newer Node than this one, as `npm run test:nodes` has it. */
async function nodeOf(line) {
  if (Number(process.versions.node.split('.')[0]) >= Number(line)) return process.execPath
  const name = packageFor(process.platform, process.arch, true)
  if (name === undefined)
    throw new Error(`it needs Node ${line}, and npm has none for ${process.platform} ${process.arch}`)
  const cache = openCache()
  return cache.node(name, cache.versions(name).find((version) => version.startsWith(`${line}.`)) ?? pinned[line], npm)
}
