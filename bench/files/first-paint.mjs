import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
const library = new URL('../../dist/index.js', import.meta.url)
/** Words of the last line of the screen: the prompt is above it. */
const PROMPT = 'default mode'
const GIVE_UP_MS = 60_000
const MAX_OVER_NODE = 3

/**
 * Milliseconds from the start of a process on a pseudo-terminal to its first words there: of `deskmates` until its prompt is
 * painted, and of bare node until it has printed. Both are started by the same `script`. The limit is three times bare node and
 * the time that opening the store takes in a process that has loaded it.
 */
export async function openFirstPaint() {
  if (spawnSync('script', ['--version']).status !== 0) return { unavailable: 'script (util-linux) is not installed' }
  const { openWorkspace } = await import(library)
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'dm-paint-')))
  const dir = join(top, 'shop')
  mkdirSync(dir)
  writeFileSync(join(dir, 'script.json'), JSON.stringify({ parts: [{ times: 'always', text: 'Hello.' }] }))
  const env = {
    ...{ PATH: process.env.PATH, HOME: top, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
    ...{ DESKMATES_STATE: join(top, 'state'), DESKMATES_DIR: dir, OLLAMA_HOST: 'http://127.0.0.1:9' },
  }
  const open = async () => {
    const begin = performance.now()
    const workspace = await openWorkspace({ cwd: dir, env })
    const took = performance.now() - begin
    await workspace[Symbol.asyncDispose]()
    return took
  }
  await open()
  return {
    async round() {
      const node = quoted(process.execPath)
      const bare = await firstWords(`${node} -e 'console.log("READY")'`, 'READY', { dir, env })
      const ours = await firstWords(`${node} ${quoted(cli)} -m scripted:script.json --sandbox off`, PROMPT, {
        dir,
        env,
      })
      return { ours, limit: MAX_OVER_NODE * bare + (await open()) }
    },
    async close() {
      rmSync(top, { recursive: true, force: true })
    },
  }
}

/** Until the terminal shows these words; then Ctrl-D, twice, in case the first came before keys were read. */
function firstWords(command, words, { dir, env }) {
  return new Promise((resolve, reject) => {
    const begin = performance.now()
    const child = spawn('script', ['-qfec', `stty cols 100 rows 30; exec ${command}`, '/dev/null'], { cwd: dir, env })
    const timer = setTimeout(() => child.kill('SIGKILL'), GIVE_UP_MS)
    let shown = ''
    let took
    child.stdout.on('data', (piece) => {
      shown += piece
      if (took !== undefined || !shown.includes(words)) return
      took = performance.now() - begin
      const leave = () => child.exitCode === null && child.stdin.write('\x04')
      leave()
      setInterval(leave, 200).unref()
    })
    child.stdin.on('error', () => {})
    child.on('error', reject)
    child.on('close', () => {
      clearTimeout(timer)
      if (took === undefined)
        reject(new Error(`${command} never showed ${JSON.stringify(words)}: ${shown.slice(-500)}`))
      else resolve(took)
    })
  })
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`
}
