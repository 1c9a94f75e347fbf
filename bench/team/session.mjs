import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineTool, openSession, openWorkspace, resolveModel } from '../../dist/index.js'
import { CONTENT, NOTE, protocols } from '../agent/protocols.mjs'

/** In a row: runs a worker process and returns the figures it reports. */
export async function measure(name, args = [], execArgv = []) {
  const child = fork(worker(name), args.map(String), { execArgv: ['--no-warnings', ...execArgv] })
  const [figures] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [undefined])])
  if (figures === undefined) throw new Error(`the worker ${name} ended without figures`)
  return figures
}

/** In a worker: reports its figures to the row, and ends. */
export async function report(figures) {
  await new Promise((resolve) => process.send(figures, resolve))
  process.disconnect()
}

/** Runs a model server with this latency for as long as `use` takes. */
export async function withServer(latencyMs, use) {
  const server = fork(worker('model-server'), [String(latencyMs)])
  try {
    const [port] = await once(server, 'message')
    return await use(`http://127.0.0.1:${port}/v1`)
  } finally {
    server.kill()
  }
}

/** What the model server was asked since the last time: requests, those of the lead, bytes, and its real latency. */
export async function takeCounts(url) {
  const { requests, latencyMs, ...counts } = await (await fetch(`${url}/counts`)).json()
  return { ...counts, requests, latencyMs: requests > 0 ? latencyMs / requests : 0 }
}

/** A session on synced files with views in a new folder, as a user has it, with the model at `url` or the given one, and the tool `note`. */
export async function withSession({ url, model, store = (own) => own, ...more }, use) {
  const dir = mkdtempSync(join(tmpdir(), 'deskmates-bench-'))
  const env = { ...process.env, HOME: dir, DESKMATES_STATE: join(dir, 'state') }
  const workspace = await openWorkspace({ cwd: dir, env })
  const input = { '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }) } }
  const note = defineTool({ ...NOTE, input, action: () => undefined, run: () => CONTENT })
  const options = {
    workspace: { ...workspace, store: store(workspace.store) },
    model: model ?? (await resolveModel('compatible/bench', protocols.openai.env(url))),
    tools: [note],
    permissions: { mode: 'bypassPermissions' },
    ...more,
  }
  const session = await openSession(options)
  try {
    return await use(session, { dir, options })
  } finally {
    await session.close()
    await workspace[Symbol.asyncDispose]()
    rmSync(dir, { recursive: true })
  }
}

/** Runs a team until all work is finished; without a prompt, with what is on its board. */
export async function run(session, prompt, onEvent = () => {}) {
  const loop = session.run(prompt)
  let step = await loop.next()
  for (; !step.done; step = await loop.next()) onEvent(step.value)
  if (step.value.kind !== 'finished') throw step.value.error ?? new Error(`the run ended as ${step.value.kind}`)
}

let idle
/** Figures of a thousand idle teammates, measured once for all rows about them. */
export function idleTeam() {
  idle ??= measure('idle-teammates', [10, 100, 1000], ['--expose-gc'])
  return idle
}

export function names(count) {
  return Array.from({ length: count }, (_, i) => `mate-${i + 1}`)
}

export function worker(name) {
  return fileURLToPath(new URL(`./workers/${name}.mjs`, import.meta.url))
}
