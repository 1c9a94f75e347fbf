import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A command that takes longer hangs. */
const COMMAND_TIMEOUT_MS = 120_000

const run = promisify(execFile)

/** What an installed package must do on any Node, by name. Each rejects with what it did instead. */
export const proofs = {
  async '--version'({ deskmates, node, version, app }) {
    const about = JSON.parse(readFileSync(join(app, 'node_modules', 'deskmates', 'package.json'), 'utf8'))
    must((await node('--version')) === `v${version}`, `this Node is ${version}`)
    must((await deskmates('--version')) === about.version, `deskmates --version says ${about.version}`)
  },

  async demo({ deskmates, folder }) {
    const summary = JSON.parse(await deskmates('demo', '--json', '--speed', '20', '--dir', join(folder, 'demo')))
    const { total, completed } = summary.tasks
    must(summary.ok && total > 0 && completed === total, 'every task of the demo is done')
    must(summary.lost.length === 1 && summary.back.length === 1, 'the killed teammate of the demo is replaced')
  },

  async 'two processes'({ deskmates }) {
    const json = async (...words) => JSON.parse(await deskmates(...words, '--json'))
    const twice = (...commands) => Promise.all(commands.map((words) => json(...words)))
    for (const name of ['ada', 'bob']) await deskmates('team', 'join', name, '--role', 'dev')
    await deskmates('task', 'add', 'Only one can have it')
    const claims = await twice(['task', 'claim', '--as', 'ada'], ['task', 'claim', '--as', 'bob'])
    const won = claims.filter((task) => task !== null)
    must(won.length === 1, 'one of two processes that claim at once gets the task')
    const done = await json('task', 'complete', won[0].id, '--as', won[0].owner, '--result', 'done')
    must(done.status === 'completed' && done.result === 'done', 'another process completes it')
    await deskmates('send', 'ada', 'hello', '--from', 'bob')
    const mail = (await twice(['inbox', 'ada', '--take'], ['inbox', 'ada', '--take'])).flat()
    must(mail.length === 1 && mail[0].content === 'hello', 'one of two processes that take the messages gets them')
    must((await json('check')).ok, 'deskmates check finds no problem')
  },

  async library({ node, app, folder }) {
    const program = join(app, 'program.mjs')
    writeFileSync(program, LIBRARY)
    must((await node(program, folder)) === 'ci has: Test it; lead has: testing now', 'the library works when imported')
  },
}

const LIBRARY = `import { isRefusal, openTeam, openWorkspace, unreadOf } from 'deskmates'
const workspace = await openWorkspace({ cwd: process.argv[2] })
const team = await openTeam(workspace.store, 'library')
await team.run({ type: 'team.create', team: 'library' })
await team.run({ type: 'member.join', name: 'ci', role: 'tester' })
await team.run({ type: 'task.add', tasks: [{ subject: 'Test it' }, { subject: 'Ship it', blockedBy: ['+1'] }] })
const claim = await team.run({ type: 'task.claim' }, { by: { name: 'ci' } })
await team.send({ to: 'lead', content: 'testing now' }, { by: { name: 'ci' } })
await team.refresh()
const [{ message }] = unreadOf(team.state, 'lead')
console.log(\`ci has: \${isRefusal(claim) ? claim.message : claim.tasks[0].subject}; lead has: \${message.content}\`)
await team.close()
await workspace[Symbol.asyncDispose]()
`

/** Runs every proof with this Node: returns the names of those that pass, and the errors of the others. */
export async function prove({ node, version, app, folder, signal, wanted = Object.keys(proofs) }) {
  const held = []
  const failed = []
  for (const name of wanted) {
    const own = mkdtempSync(join(folder, 'proof-'))
    try {
      await proofs[name]({ ...isolated({ node, app, folder: own, signal }), version })
      held.push(name)
    } catch (error) {
      if (signal?.aborted) throw error
      failed.push(`${name}: ${oneLine(error.stderr || error.message)}`)
    } finally {
      rmSync(own, { recursive: true, force: true })
    }
  }
  return { held, failed }
}

/** Runs the processes of a proof apart from the settings and files of the user. */
function isolated({ node, app, folder, signal }) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(DESKMATES_|NODE_OPTIONS$)/.test(name))
  const env = { ...Object.fromEntries(inherited), DESKMATES_DIR: folder, DESKMATES_STATE: join(folder, 'state') }
  const cli = join(app, 'node_modules', 'deskmates', 'dist', 'cli.js')
  const start = async (...args) => {
    const { stdout } = await run(node, args, {
      cwd: folder,
      env,
      signal,
      timeout: COMMAND_TIMEOUT_MS,
      maxBuffer: 1 << 26,
    })
    return stdout.trim()
  }
  return { app, folder, node: start, deskmates: (...words) => start(cli, ...words) }
}

function must(isSo, what) {
  if (!isSo) throw new Error(`failed: ${what}`)
}

function oneLine(text) {
  return text.trim().replace(/\s+/g, ' ').slice(0, 500)
}
