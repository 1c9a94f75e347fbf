// Two plans, of which the second waits for the first: how the commands grow with them, and what a claim costs on them.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { timeClaims } from './board-size.mjs'
import { openTeamIn } from './temporary-team.mjs'

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
const reportCpu = new URL('./workers/report-cpu.mjs', import.meta.url).href
const LAYERS = 10

/**
 * CPU milliseconds of `deskmates plan check|show|load` with two plans of so many tasks each, above what the same command
 * takes with plans of one task: starting a process does not count.
 */
export async function growth(command, tasks) {
  const none = await commandCpu(command, 1)
  const half = await commandCpu(command, tasks / 2)
  const all = await commandCpu(command, tasks)
  return { limit: half - none, ours: all - none }
}

/** Median milliseconds of a claim on two plans of 10 tasks each, and of so many. */
export async function claimTimes(tasks) {
  return { limit: await claimTime(10), ours: await claimTime(tasks) }
}

function claimTime(tasks) {
  return withPlans(tasks, async (dir) => {
    run(dir, ['load', 'phases/03-api', '--team', 'bench'])
    return openTeamIn(dir, async (team) => {
      await team.run({ type: 'member.join', name: 'ada', role: 'dev' })
      return timeClaims(team)
    })
  })
}

function commandCpu(command, tasks) {
  return withPlans(tasks, (dir) =>
    run(dir, [command, 'phases/03-api', ...(command === 'load' ? ['--team', 'bench'] : [])]),
  )
}

function run(dir, args) {
  const cpuFile = join(dir, 'cpu')
  execFileSync(process.execPath, ['--import', reportCpu, cli, 'plan', ...args], {
    cwd: dir,
    env: { ...process.env, DESKMATES_DIR: dir, DESKMATES_TRUST: '1', BENCH_CPU_FILE: cpuFile },
    maxBuffer: 2 ** 30,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return Number(readFileSync(cpuFile, 'utf8'))
}

async function withPlans(tasks, use) {
  const dir = mkdtempSync(join(tmpdir(), 'deskmates-bench-'))
  const folder = join(dir, 'phases', '03-api')
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, '03-01.plan.jsonl'), planOf('01', 1, [], tasks))
    writeFileSync(join(folder, '03-02.plan.jsonl'), planOf('02', 2, ['03-01'], tasks))
    await openTeamIn(dir, (team) => team.run({ type: 'team.create', team: 'bench' }))
    return await use(dir)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

/** Each task changes a file of its own and waits for a task of the layer before. */
function planOf(n, w, d, tasks) {
  const header = { p: '03', n, t: `Plan ${n}`, w, d, mh: {}, obj: 'Users can be listed' }
  const width = Math.ceil(tasks / LAYERS)
  const lines = Array.from({ length: tasks }, (_, i) => ({
    ...{ id: `T${i + 1}`, tp: 'auto', a: `Write module ${i + 1}`, f: [`src/p${n}/module-${i + 1}.ts`] },
    ...{ v: 'npm test', done: 'its tests pass', td: i < width ? [] : [`T${i + 1 - width}`] },
  }))
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('')
}
