// Import of many tasks in one command, beside a bare program that reads and writes as many files.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
const bare = fileURLToPath(new URL('./workers/copy-tasks.mjs', import.meta.url))
const reportCpu = new URL('./workers/report-cpu.mjs', import.meta.url).href

/**
 * CPU milliseconds of `deskmates team create --from` with so many tasks, and of the same for twice as many. What it takes
 * without tasks, which is the start of a process, is subtracted from both.
 */
export function importGrowth(tasks) {
  const none = importCpu(oldTeam(0))
  return { limit: importCpu(oldTeam(tasks)) - none, ours: importCpu(oldTeam(2 * tasks)) - none }
}

/** CPU milliseconds of importing so many tasks, and of a bare program that reads their files and writes one for each. */
export function importCosts(tasks) {
  const dir = oldTeam(tasks)
  return { limit: cpuOf(dir, [bare]), ours: importCpu(dir) }
}

function importCpu(dir) {
  return cpuOf(dir, [cli, 'team', 'create', 'bench', '--from', '.team'])
}

function cpuOf(dir, args) {
  const cpuFile = join(dir, 'cpu')
  execFileSync(process.execPath, ['--import', reportCpu, ...args], {
    cwd: dir,
    env: { ...process.env, DESKMATES_DIR: dir, DESKMATES_TRUST: '1', BENCH_CPU_FILE: cpuFile },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return Number(readFileSync(cpuFile, 'utf8'))
}

const folders = []
process.once('exit', () => {
  for (const dir of folders) rmSync(dir, { recursive: true })
})

/**
 * A folder in the old layout. It is removed when the benchmark ends: while thousands of files were just deleted, some file
 * systems take many times as long to create others, and that would count.
 */
function oldTeam(tasks) {
  const dir = mkdtempSync(join(tmpdir(), 'deskmates-bench-'))
  folders.push(dir)
  mkdirSync(join(dir, '.team', 'inbox'), { recursive: true })
  mkdirSync(join(dir, '.tasks'))
  for (let id = 1; id <= tasks; id++) writeFileSync(join(dir, '.tasks', `task_${id}.json`), taskFile(id))
  return dir
}

/** Ten chains. */
function taskFile(id) {
  const description = `Write module ${id} of the application, with its tests and its documentation, as the plan says.`
  const blocked_by = id > 10 ? [id - 10] : []
  return JSON.stringify({ id, subject: `Write module ${id}`, description, status: 'pending', owner: '', blocked_by })
}
