import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Random } from './random.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Builds test/workers if a source changed; `npm test` has done so before. */
export async function buildWorkers(): Promise<void> {
  const { prepare } = await import(/* @vite-ignore */ join(root, 'scripts', 'prepare.mjs'))
  await prepare(root, { workers: true }, { quiet: true })
}

/** A process that is started again when it dies, until it exits with 0. */
export interface ProcessSpec {
  readonly name: string
  /** A file of test/workers. */
  readonly program: string
  /** `turn` counts the processes of this post, from 0. */
  readonly args: (turn: number) => readonly (string | number)[]
  /** A message from the process that stands here now. */
  readonly onMessage?: (message: unknown, standing: Standing) => void
  readonly left?: (standing: Standing) => void
}

export interface Standing {
  readonly post: string
  readonly turn: number
  readonly pid: number
  tell(message: object): void
}

export interface Fleet {
  keepRunning(post: ProcessSpec): void
  /**
   * Kills, ends, stops and continues random ones, one after the other, until `until` resolves or `most` were disturbed: on
   * a machine that is slow to start processes a storm would never end. Returns how many.
   */
  disturb(every: number, until: Promise<unknown>, most?: number): Promise<number>
  /** Resolves when all posts are done but those that never are. */
  done(never?: readonly string[]): Promise<void>
  /** Ends every process that is left. */
  end(): Promise<void>
  /** What processes said that ended by themselves, and not well: a storm must have none. */
  readonly crashes: readonly string[]
  /** Pids that were sent a signal that ends them, or ended because they were done. */
  readonly ended: ReadonlySet<number>
}

/** Processes of ours, and only those: each is ended by the handle it was started with. */
export function createFleet(random: Random, env: Record<string, string> = {}): Fleet {
  const alive = new Map<ChildProcess, { post: string; stopped: boolean }>()
  const posts = new Map<string, Promise<void>>()
  const crashes: string[] = []
  const ended = new Set<number>()
  let ending = false

  async function keep(post: ProcessSpec): Promise<void> {
    for (let turn = 0; !ending; turn++) {
      const child = fork(join(root, '.build', 'test', `${post.program}.js`), post.args(turn).map(String), {
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        execArgv: [],
        env: { ...process.env, ...env },
      })
      const standing: Standing = {
        post: post.name,
        turn,
        pid: child.pid!,
        // A process that is gone by now is replaced; its successor asks again.
        tell: (message) => void (child.connected && child.send(message, () => {})),
      }
      let said = ''
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-4000)
      })
      child.on('message', (message) => post.onMessage?.(message, standing))
      child.on('error', () => {})
      alive.set(child, { post: post.name, stopped: false })
      const [code, signal] = await once(child, 'close')
      alive.delete(child)
      post.left?.(standing)
      if (code === 0) return void ended.add(child.pid!)
      if (signal === null) crashes.push(`${post.name} ended with ${code}: ${said}`)
      if (crashes.length > 5) return
    }
  }

  function end(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): void {
    ended.add(child.pid!)
    child.kill(signal)
  }

  async function disturbOne(child: ChildProcess): Promise<void> {
    const kind = random.below(4)
    if (kind === 0) return end(child, 'SIGKILL')
    if (kind === 1) return end(child, 'SIGTERM')
    const about = alive.get(child)!
    about.stopped = true
    child.kill('SIGSTOP')
    await sleep(20 + random.below(300))
    if (kind === 3) return end(child, 'SIGKILL')
    child.kill('SIGCONT')
    about.stopped = false
  }

  return {
    crashes,
    ended,
    keepRunning: (post) => void posts.set(post.name, keep(post)),
    async disturb(every, until, most = Number.POSITIVE_INFINITY) {
      let over = false
      const disturbances: Promise<void>[] = []
      void until.finally(() => {
        over = true
      })
      while (!over && disturbances.length < most) {
        await Promise.race([sleep(every / 2 + random.below(every)), until])
        const candidates = [...alive.keys()].filter((child) => !alive.get(child)!.stopped && child.exitCode === null)
        if (over || candidates.length === 0) continue
        disturbances.push(disturbOne(random.pick(candidates)))
      }
      await Promise.all([...disturbances, until])
      return disturbances.length
    },
    async done(never = []) {
      await Promise.all([...posts].map(([name, done]) => never.includes(name) || done))
    },
    async end() {
      ending = true
      for (const child of alive.keys()) child.kill('SIGKILL')
      await Promise.all(posts.values())
    },
  }
}
