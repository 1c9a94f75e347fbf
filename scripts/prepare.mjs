import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { runChild } from './child.mjs'
import { PrepareFailed } from './failure.mjs'
import { distFingerprint, modulesFingerprint, readDistStamp, readStamp, workersFingerprint } from './fingerprint.mjs'
import { matchesLockFile } from './installed.mjs'
import { identify, isGone, isHere, oneAtATime } from './one-at-a-time.mjs'

/**
 * Updates `node_modules`, `dist` and the test programs, whichever are needed and not current:
 * `{ modules: true, dist: 'js' | 'types', workers: true }`.
 *
 * Each is built in its own folder below `.build/tmp`, stamped there with what it was built from, and renamed into place.
 * So a stamp means a complete result, a process that is killed leaves only a folder that the next one removes, and two
 * processes at once cost time, not correctness.
 */
export async function prepare(root, needs, { quiet = false } = {}) {
  const missing = () => steps.filter((step) => step.isNeeded(needs, root) && !step.isCurrent(root, needs))
  if (missing().length === 0) return
  mkdirSync(join(root, '.build', 'tmp'), { recursive: true })
  const print = (line) => console.error(`deskmates: ${line}`)
  await oneAtATime(join(root, '.build', 'preparing'), {
    done: () => missing().length === 0,
    onWait: (pid) => print(`process ${pid} is preparing this checkout, waiting for it`),
    async work() {
      removeLeftovers(root)
      if (quiet && missing().includes(modules)) print('preparing this checkout, once')
      for (const step of missing()) {
        const began = performance.now()
        await step.make(root, needs, quiet)
        if (!quiet) print(`${step.name} ready in ${((performance.now() - began) / 1000).toFixed(1)} s`)
      }
    },
  })
}

const modules = {
  name: 'node_modules',
  isNeeded: (needs, root) => needs.modules || !dist.isCurrent(root, needs) || needs.workers,
  isCurrent: (root) => readStamp(modulesStamp(root)) === modulesFingerprint(root),
  async make(root, _needs, quiet) {
    const fingerprint = modulesFingerprint(root)
    // The user ran `npm ci`: its result is as good as ours, and without a network it may be the only one.
    if (existsSync(join(root, 'node_modules')) && readStamp(modulesStamp(root)) === '') {
      if (matchesLockFile(root)) return writeFileSync(modulesStamp(root), fingerprint)
    }
    await inTemporaryFolder(root, async (folder) => {
      for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
        if (existsSync(join(root, name))) copyFileSync(join(root, name), join(folder, name))
      }
      await npmCi(root, folder, quiet)
      writeFileSync(join(folder, 'node_modules', stampName), fingerprint)
      putInPlace(join(folder, 'node_modules'), join(root, 'node_modules'), join(folder, 'old'), () =>
        modules.isCurrent(root),
      )
    })
  },
}

const dist = {
  name: 'dist',
  isNeeded: (needs) => needs.dist !== undefined,
  isCurrent(root, needs) {
    if (needs.dist === undefined) return true
    const stamp = readDistStamp(root)
    return stamp.fingerprint === distFingerprint(root) && (stamp.types || needs.dist === 'js')
  },
  async make(root, needs) {
    // Computed before the build: a source that changes meanwhile makes the result outdated, never wrongly current.
    const fingerprint = distFingerprint(root)
    const types = needs.dist === 'types'
    await inTemporaryFolder(root, async (folder) => {
      const fresh = join(folder, 'dist')
      // A checkout without any entry has an empty dist and can still be tested.
      if (entries.some((path) => existsSync(join(root, path)))) {
        await tsdown(root, types ? ['package', 'types'] : ['package'], fresh)
      }
      mkdirSync(fresh, { recursive: true })
      writeFileSync(join(fresh, '.stamp'), types ? `${fingerprint} types` : fingerprint)
      putInPlace(fresh, join(root, 'dist'), join(folder, 'old'), () => dist.isCurrent(root, needs))
    })
  },
}

const workers = {
  name: 'test programs',
  isNeeded: (needs) => needs.workers === true,
  isCurrent(root) {
    const fingerprint = workersFingerprint(root)
    return fingerprint === '' || linkedWorkers(root) === `test-${fingerprint}`
  },
  // `.build/test` is a link, so that it changes in one step and programs already running keep their own files.
  async make(root) {
    const name = `test-${workersFingerprint(root)}`
    await inTemporaryFolder(root, async (folder) => {
      await tsdown(root, ['workers'], join(folder, name))
      const target = join(root, '.build', name)
      putInPlace(join(folder, name), target, join(folder, 'old'), () => existsSync(target))
      symlinkSync(name, join(folder, 'link'))
      putInPlace(join(folder, 'link'), workersLink(root), join(folder, 'old-link'), () => false)
    })
  },
}

const entries = ['src/index.ts', 'src/testing/index.ts', 'src/cli/main.ts']

const steps = [modules, dist, workers]

const stampName = '.deskmates-stamp'
const modulesStamp = (root) => join(root, 'node_modules', stampName)
const workersLink = (root) => join(root, '.build', 'test')

/** The folder `.build/test` leads to; empty when it is not there, or not a link of ours. */
function linkedWorkers(root) {
  try {
    return readlinkSync(workersLink(root))
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'EINVAL') return ''
    throw error
  }
}

async function npmCi(root, folder, quiet) {
  const args = ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund']
  let result
  try {
    result = await runChild('npm', args, { cwd: folder, output: quiet ? 'kept' : 'on stderr' })
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    throw new PrepareFailed(
      'npm is not on the PATH, and it is needed to install packages. Install it, or add it to PATH.',
    )
  }
  if (result.code !== 0) {
    process.stderr.write(result.output)
    throw new PrepareFailed(
      `npm ci could not install the packages for ${root} (exit ${result.code}, npm's reason is above). ` +
        'Check the network and the registry of your npm configuration, then run the same command again; ' +
        'what was installed before is unchanged.',
    )
  }
}

async function tsdown(root, names, outDir) {
  const program = join(root, 'node_modules', '.bin', 'tsdown')
  const args = [program, ...names.flatMap((name) => ['--filter', name]), '--out-dir', outDir]
  const { code, output } = await runChild(process.execPath, args, { cwd: root, output: 'kept' })
  if (code !== 0 || !existsSync(outDir)) {
    process.stderr.write(output.replace(/^.*\[tsdown\] Node\.js .* is deprecated.*\n/m, ''))
    throw new PrepareFailed(
      `tsdown could not build ${root} (exit ${code}, its reason is above). ` +
        'Fix what it names, then run the same command again; the last good build is unchanged.',
    )
  }
}

async function inTemporaryFolder(root, work) {
  const folder = join(root, '.build', 'tmp', identify(process.pid))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  try {
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Renames `fresh` to `target`. What is there moves to `old` first, unless another process has just made it current. */
function putInPlace(fresh, target, old, isCurrent) {
  for (let turn = 1; ; turn++) {
    try {
      return renameSync(fresh, target)
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EISDIR'].includes(error.code)) throw error
    }
    if (isCurrent()) return
    try {
      renameSync(target, `${old}-${turn}`)
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
  }
}

/** Removes what killed processes left, as far as possible: an orphaned npm may still be writing there. */
function removeLeftovers(root) {
  const tmp = join(root, '.build', 'tmp')
  for (const name of readdirSync(tmp)) {
    const path = join(tmp, name)
    if (isHere(name) ? isGone(name) : isOlderThanADay(path)) removeIfPossible(path)
  }
  for (const name of readdirSync(join(root, '.build'))) {
    if (name.startsWith('test-') && name !== linkedWorkers(root)) removeIfPossible(join(root, '.build', name))
  }
}

/** For folders of another container or machine, whose processes cannot be seen from here. */
const isOlderThanADay = (path) => Date.now() - statSync(path).mtimeMs > 24 * 60 * 60 * 1000

function removeIfPossible(path) {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // The next process that prepares retries.
  }
}
