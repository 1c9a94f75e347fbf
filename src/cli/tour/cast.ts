import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** The member processes of the tour: started, killed and ended here, each by its own handle. */
export interface Cast {
  /** Starts a process for this member and returns its pid. */
  start(name: string): number
  /** SIGKILL, which no process can catch. Resolves when it is gone. */
  kill(name: string): Promise<NodeJS.Signals | null>
  /** How many died of SIGKILL. */
  killed(): number
  /** Resolves when all have ended by themselves. */
  gone(): Promise<void>
  /** Ends whoever is left. */
  end(): Promise<void>
}

/** A member that does not listen to SIGTERM for so long, in milliseconds, is killed. */
const PATIENCE = 3000

export function createCast(options: {
  readonly argv: (name: string) => readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** One of them ended, and not because it was killed or had done its part. */
  readonly failed: (name: string, why: string) => void
}): Cast {
  const { argv, env, failed } = options
  const alive = new Map<string, ChildProcess>()
  let ending = false
  let killed = 0

  function start(name: string): number {
    // Its stdin is the line it hangs on: should we die, it closes and the member goes.
    const child = spawn(process.execPath, [...argv(name)], { env, stdio: ['pipe', 'ignore', 'pipe'] })
    let said = ''
    child.stderr?.on('data', (chunk) => {
      said += chunk
    })
    child.on('error', (error) => failed(name, error.message))
    child.on('close', (code, signal) => {
      if (alive.get(name) === child) alive.delete(name)
      if (signal === 'SIGKILL') killed++
      else if (code !== 0 && !ending) failed(name, said.trim() || `it ended with ${code ?? signal}`)
    })
    alive.set(name, child)
    return child.pid ?? 0
  }

  return {
    start,
    killed: () => killed,
    async kill(name) {
      const child = alive.get(name)
      if (!child) return null
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      const [, signal] = await closed
      return signal
    },
    async gone() {
      await Promise.all([...alive.values()].map((child) => once(child, 'close')))
    },
    async end() {
      ending = true
      await Promise.all(
        [...alive.values()].map(async (child) => {
          const closed = once(child, 'close')
          child.kill('SIGTERM')
          const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE)
          await closed
          clearTimeout(timer)
        }),
      )
    },
  }
}
