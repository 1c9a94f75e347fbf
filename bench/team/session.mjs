import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineTool, openSession, openWorkspace, resolveModel } from '../../dist/index.js'
import { CONTENT, protocols, READ } from '../agent/protocols.mjs'

/** How long the model takes to answer. */
const LATENCY_MS = 50

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

/**
 * Runs a model server with this latency for as long as `use` takes. `latency()` returns how many milliseconds an answer
 * really took on average since the last call.
 */
export async function withServer(latencyMs, use) {
  const server = fork(worker('model-server'), [String(latencyMs)])
  try {
    const [port] = await once(server, 'message')
    const latency = async () => {
      server.send('latency')
      return (await once(server, 'message'))[0]
    }
    return await use(`http://127.0.0.1:${port}/v1`, latency)
  } finally {
    server.kill()
  }
}

/** A session on synced files in a new folder, with the model at `url` or the given one, and the tool that reads. */
export async function withSession({ url, model, store = (own) => own, ...more }, use) {
  const dir = mkdtempSync(join(tmpdir(), 'deskmates-bench-'))
  const env = { ...process.env, HOME: dir, DESKMATES_STATE: join(dir, 'state') }
  const workspace = await openWorkspace({ cwd: dir, env })
  const input = { '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }) } }
  const read = defineTool({ ...READ, input, isReadOnly: true, action: () => undefined, run: () => CONTENT })
  const session = await openSession({
    workspace: { ...workspace, store: store(workspace.store) },
    model: model ?? (await resolveModel('compatible/bench', protocols.openai.env(url))),
    tools: [read],
    permissions: { mode: 'bypassPermissions' },
    ...more,
  })
  try {
    return await use(session, dir)
  } finally {
    await session.close()
    await workspace[Symbol.asyncDispose]()
    rmSync(dir, { recursive: true })
  }
}

/** Runs a team until all work is finished. */
export async function run(session, prompt, onEvent = () => {}) {
  const loop = session.run(prompt)
  let step = await loop.next()
  for (; !step.done; step = await loop.next()) onEvent(step.value)
  if (step.value.kind !== 'finished') throw step.value.error ?? new Error(`the run ended as ${step.value.kind}`)
}

/** Milliseconds from the lead's answer that spawns the teammates to the first event for which `isOver` is true. */
export async function makespan(session, teammates, isOver) {
  let begin
  let end
  await run(session, `spawn ${JSON.stringify(teammates)}`, (event) => {
    if (event.type === 'answered' && event.agent === 'lead') begin ??= performance.now()
    if (end === undefined && isOver(event)) end = performance.now()
  })
  if (end === undefined) throw new Error('the run ended before its work was done')
  return end - begin
}

let idle
/** Figures of a thousand idle teammates, measured once for all rows about them. */
export function idleTeam() {
  idle ??= measure('idle-teammates', [10, 100, 1000], ['--expose-gc'])
  return idle
}

/** The best of several makespans against the ideal with the same latencies, after a warm-up without latency. */
export async function bestSpan(times, idealTurns, span) {
  await withServer(0, async (url) => {
    for (let i = 0; i < 8; i++) await span(url)
  })
  return withServer(LATENCY_MS, async (url, latency) => {
    const spans = []
    for (let i = 0; i < times; i++) spans.push({ ours: await span(url), limit: idealTurns * (await latency()) })
    return spans.reduce((best, one) => (one.ours / one.limit < best.ours / best.limit ? one : best))
  })
}

export function names(count) {
  return Array.from({ length: count }, (_, i) => `mate-${i + 1}`)
}

function worker(name) {
  return fileURLToPath(new URL(`./workers/${name}.mjs`, import.meta.url))
}
