import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runChild } from './child.mjs'
import { report } from './failure.mjs'
import { runCli } from './open.mjs'
import { prepare } from './prepare.mjs'
import { test } from './test.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Tests that run longer with `npm run test:soak`. */
const SOAK_TESTS = ['test/storms', 'test/team', 'test/postgres', 'test/policy/corpus']

const commands = {
  async start(args) {
    await prepare(root, { dist: 'js' })
    await runCli(['demo', ...args])
  },
  async build() {
    await prepare(root, { modules: true, dist: 'types' })
  },
  async test(args) {
    process.exitCode = await test(root, args)
  },
  async soak(args) {
    // One after the other: processes that are killed five times a second need the whole machine to make progress.
    process.exitCode = await test(root, [...SOAK_TESTS, '--no-file-parallelism', ...args], { DESKMATES_SOAK: '1' })
  },
  async mutations(names) {
    await prepare(root, { modules: true, dist: 'js', workers: true })
    const program = 'node_modules/vitest/vitest.mjs'
    const args = [program, 'run', 'test/mutations', '--reporter=verbose']
    const env = { ...process.env, DESKMATES_MUTATIONS: names.join(',') || 'all' }
    const { code } = await runChild(process.execPath, args, { cwd: root, env, output: 'shown' })
    process.exitCode = typeof code === 'number' ? code : 1
  },
  async bench(args) {
    await prepare(root, { modules: true, dist: 'js', workers: true })
    const { code } = await runChild(process.execPath, ['bench/run.mjs', ...args], { cwd: root, output: 'shown' })
    process.exitCode = typeof code === 'number' ? code : 1
  },
  async clients(args) {
    await prepare(root, { modules: true, dist: 'js' })
    const { code } = await runChild(process.execPath, ['scripts/test-clients.mjs', ...args], {
      cwd: root,
      output: 'shown',
    })
    process.exitCode = typeof code === 'number' ? code : 1
  },
  async screenshots() {
    await prepare(root, { modules: true, dist: 'js' })
    const program = 'scripts/screenshots/screenshots.mjs'
    const { code } = await runChild(process.execPath, [program], { cwd: root, output: 'shown' })
    process.exitCode = typeof code === 'number' ? code : 1
  },
  async nodes(args) {
    await prepare(root, { modules: true, dist: 'types' })
    const { code } = await runChild(process.execPath, ['scripts/test-nodes.mjs', ...args], {
      cwd: root,
      output: 'shown',
    })
    process.exitCode = typeof code === 'number' ? code : 1
  },
}

export async function run([name, ...args]) {
  if (!Object.hasOwn(commands, name ?? '')) {
    console.error(`usage: node scripts/run.mjs ${Object.keys(commands).join('|')} [arguments]`)
    process.exitCode = 2
    return
  }
  try {
    await commands[name](args)
  } catch (error) {
    process.exitCode = report(error, root)
  }
}
