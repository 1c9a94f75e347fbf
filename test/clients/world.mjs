import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const MAX_RUN_MS = 180_000

/** A folder with one team, a home of its own, and the built command; no variable of the machine comes in but PATH. */
export async function openWorld({ cli, folder, signal }) {
  const work = join(folder, 'work')
  const home = join(folder, 'home')
  for (const path of [work, home]) mkdirSync(path)
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: folder, DESKMATES_STATE: join(folder, 'state') }

  /** Runs a program to its end; rejects with its output unless it exits with 0, or may fail. */
  function run(program, args, changes = {}) {
    const options = { cwd: work, env: { ...env, ...changes.env }, signal, timeout: MAX_RUN_MS, maxBuffer: 1 << 26 }
    return new Promise((resolve, reject) => {
      const child = execFile(program, args, options, (error, stdout, stderr) => {
        if (!error || (changes.mayFail && typeof error.code === 'number')) return resolve(stdout)
        const said = `${stdout}${stderr}`.trim().slice(-2000)
        reject(
          new Error(`${program} ${args.slice(0, 3).join(' ')} … ended with ${error.code ?? error.signal}: ${said}`),
        )
      })
      child.stdin.end()
    })
  }
  const deskmates = (...words) => run(process.execPath, [cli, ...words])
  const json = async (...words) => JSON.parse(await deskmates(...words, '--json'))
  await deskmates('task', 'add', 'begin')
  await deskmates('task', 'update', '1', '--status', 'deleted')

  return {
    ...{ cli, work, home, env, run, deskmates, json },
    /** How a client starts our server as this member. */
    server: (member) => ({ command: process.execPath, args: [cli, 'mcp', 'serve', '--as', member, '--cwd', work] }),
    /** Our server over HTTP while `use` runs, which gets its address and the token of a new member. */
    async withHttp(member, use) {
      const { tokenFile } = await json('team', 'join', member, '--role', 'tester')
      const child = spawn(process.execPath, [cli, 'mcp', 'serve', '--http', '--json'], { cwd: work, env })
      try {
        const [line] = await once(createInterface(child.stdout), 'line', { signal })
        await use({ url: JSON.parse(line).url, token: readFileSync(tokenFile, 'utf8').trim() })
      } finally {
        child.kill('SIGTERM')
      }
    },
    /** Adds a task, lets the client work, and returns what the member holds then: exactly one task, which no other member held. */
    async claimBy(member, use) {
      const before = await json('task', 'list', '--status', 'in_progress')
      const { id } = await json('task', 'add', `for ${member}`)
      try {
        await use()
      } catch (error) {
        // The next client must not find it.
        await deskmates('task', 'update', id, '--status', 'deleted').catch(() => {})
        throw error
      }
      const after = await json('task', 'list', '--status', 'in_progress')
      const held = after.filter(({ owner }) => owner === member)
      if (held.length !== 1 || held[0].id !== id || after.length !== before.length + 1)
        throw new Error(`${member} holds ${JSON.stringify(held)}, and the board has ${after.length} claims`)
      if (held[0].leaseUntil === null) throw new Error(`the claim of ${member} has no lease`)
      return held[0]
    },
  }
}
