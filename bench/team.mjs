import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineTool, openSession, openWorkspace, resolveModel } from '../dist/index.js'
import { LOOK, LOOKED } from './agent.mjs'

/** Milliseconds a model takes to answer. */
export const LATENCY = 50

/** In a row: lets a worker measure in a process of its own, and says what it found. */
export async function measured(name, args = [], execArgv = []) {
  const child = fork(worker(name), args.map(String), { execArgv: ['--no-warnings', ...execArgv] })
  const [heard] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [undefined])])
  if (heard === undefined) throw new Error(`${name} ended without having measured anything`)
  return heard
}

/** In a worker: says what was found, and ends. */
export async function found(figures) {
  await new Promise((resolve) => process.send(figures, resolve))
  process.disconnect()
}

/**
 * A model that takes so long to answer, in a process of its own, for as long as `use` takes. `took` says how many
 * milliseconds it really took on average since it was last asked.
 */
export async function withServer(latency, use) {
  const server = fork(worker('team-server'), [String(latency)])
  try {
    const [port] = await once(server, 'message')
    const took = async () => {
      server.send('took')
      return (await once(server, 'message'))[0]
    }
    return await use(`http://127.0.0.1:${port}/v1`, took)
  } finally {
    server.kill()
  }
}

/** A session on files in a new folder, synced, with the model at `url` or the one given; and a tool that looks. */
export async function withSession({ url, model, store = (own) => own, ...more }, use) {
  const dir = mkdtempSync(join(tmpdir(), 'deskmates-bench-'))
  const env = { ...process.env, HOME: dir, DESKMATES_STATE: join(dir, 'state') }
  const workspace = await openWorkspace({ cwd: dir, env })
  const input = { '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }) } }
  const look = defineTool({ ...LOOK, input, onlyLooks: true, action: () => undefined, run: () => LOOKED })
  const session = await openSession({
    workspace: { ...workspace, store: store(workspace.store) },
    model: model ?? (await resolveModel('compatible/bench', { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'x' })),
    tools: [look],
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

/** Runs a team until it settles; `seen` learns of every event. */
export async function run(session, prompt, seen = () => {}) {
  const loop = session.run(prompt)
  let step = await loop.next()
  for (; !step.done; step = await loop.next()) seen(step.value)
  if (step.value.kind !== 'finished') throw step.value.error ?? new Error(`The run ended as ${step.value.kind}`)
}

/** Milliseconds from the lead's answer that makes the teammates to the moment when `isOver` first says so. */
export async function makespan(session, teammates, isOver) {
  let begin
  let end
  await run(session, `spawn ${JSON.stringify(teammates)}`, (event) => {
    if (event.type === 'answered' && event.agent === 'lead') begin ??= performance.now()
    if (end === undefined && isOver(event)) end = performance.now()
  })
  if (end === undefined) throw new Error('The team settled before its work was done')
  return end - begin
}

let idle
/** A thousand teammates that have nothing to do; measured once for all rows about them. */
export function idleTeam() {
  idle ??= measured('team-idle', [10, 100, 1000], ['--expose-gc'])
  return idle
}

/** Best of several makespans against the ideal of the same latencies, once everything has been run in without any. */
export async function bestSpan(times, idealTurns, span) {
  await withServer(0, async (url) => {
    for (let i = 0; i < 8; i++) await span(url)
  })
  return withServer(LATENCY, async (url, took) => {
    const found = []
    for (let i = 0; i < times; i++) found.push({ ours: await span(url), limit: idealTurns * (await took()) })
    return found.reduce((best, one) => (one.ours / one.limit < best.ours / best.limit ? one : best))
  })
}

export function names(count) {
  return Array.from({ length: count }, (_, i) => `mate-${i + 1}`)
}

function worker(name) {
  return fileURLToPath(new URL(`./workers/${name}.mjs`, import.meta.url))
}
