import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A command that takes longer, in milliseconds, hangs. */
const LONGEST = 120_000

const run = promisify(execFile)

/** What an installed package has to do on any Node, by name. Each rejects with what it did instead. */
export const proofs = {
  async '--version'({ deskmates, node, version, app }) {
    const about = JSON.parse(readFileSync(join(app, 'node_modules', 'deskmates', 'package.json'), 'utf8'))
    must((await node('--version')) === `v${version}`, `this Node is ${version}`)
    must((await deskmates('--version')) === about.version, `deskmates --version says ${about.version}`)
  },

  async demo({ deskmates, folder }) {
    const told = JSON.parse(await deskmates('demo', '--json', '--speed', '20', '--dir', join(folder, 'demo')))
    const { total, completed } = told.tasks
    must(told.ok && total > 0 && completed === total, 'every task of the demo is done')
    must(told.lost.length === 1 && told.back.length === 1, 'who was killed in the demo comes back')
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
    must(mail.length === 1 && mail[0].content === 'hello', 'one of two processes that take the mail gets it')
    must((await json('check')).ok, 'deskmates check finds all in order')
  },

  async library({ node, app, folder }) {
    const program = join(app, 'program.mjs')
    writeFileSync(program, LIBRARY)
    must((await node(program, folder)) === 'ci has: Test it; lead has: testing now', 'the library works when imported')
  },
}

const LIBRARY = `import { isRefusal, openTeam, openWorkspace, unreadOf } from 'deskmates'
const place = await openWorkspace({ cwd: process.argv[2] })
const team = await openTeam(place.store, 'library')
await team.run({ type: 'team.create', team: 'library' })
await team.run({ type: 'member.join', name: 'ci', role: 'tester' })
await team.run({ type: 'task.add', tasks: [{ subject: 'Test it' }, { subject: 'Ship it', blockedBy: ['+1'] }] })
const claim = await team.run({ type: 'task.claim' }, { by: { name: 'ci' } })
await team.send({ to: 'lead', content: 'testing now' }, { by: { name: 'ci' } })
await team.refresh()
const [{ message }] = unreadOf(team.state, 'lead')
console.log(\`ci has: \${isRefusal(claim) ? claim.message : claim.tasks[0].subject}; lead has: \${message.content}\`)
await team.close()
await place[Symbol.asyncDispose]()
`

/** Tries every proof with the binary of this version: the names of those that hold, and what is wrong with the others. */
export async function prove({ node, version, app, folder, signal, wanted = Object.keys(proofs) }) {
  const held = []
  const failed = []
  for (const name of wanted) {
    const own = mkdtempSync(join(folder, 'proof-'))
    try {
      await proofs[name]({ ...desk({ node, app, folder: own, signal }), version })
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

/** Nothing of the user's reaches the processes of a proof, and nothing of theirs the user. */
function desk({ node, app, folder, signal }) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(DESKMATES_|NODE_OPTIONS$)/.test(name))
  const env = { ...Object.fromEntries(inherited), DESKMATES_DIR: folder, DESKMATES_STATE: join(folder, 'state') }
  const cli = join(app, 'node_modules', 'deskmates', 'dist', 'cli.js')
  const start = async (...args) => {
    const { stdout } = await run(node, args, { cwd: folder, env, signal, timeout: LONGEST, maxBuffer: 1 << 26 })
    return stdout.trim()
  }
  return { app, folder, node: start, deskmates: (...words) => start(cli, ...words) }
}

function must(isSo, what) {
  if (!isSo) throw new Error(`not so: ${what}`)
}

function oneLine(text) {
  return text.trim().replace(/\s+/g, ' ').slice(0, 500)
}
