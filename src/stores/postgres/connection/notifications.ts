import type { Statements } from '../schema/statements.ts'
import type { Line } from './connection.ts'
import type { Lines } from './connection-pool.ts'
import { reason } from './failures.ts'

/** Hints that a log has grown. A hint may be lost: whoever waits also looks by itself now and then. */
export interface News {
  /** `told` is the number of a log; undefined means: anything may have happened, look. */
  on(listener: (told: number | undefined) => void): () => void
  /** Tells other processes, soon. */
  tell(log: number): void
  /** The same, to be sent right behind what there is to tell of; undefined if others were told a moment ago. */
  hint(log: number): Hint | undefined
  /** Resolves when everything was told. */
  flush(): Promise<void>
  close(): void
}

/** Sends it on a line that something else is being carried out on; nobody waits for the answer. */
export type Hint = (line: Line) => void

/** A burst of records is one hint, in milliseconds. */
const PAUSE = 10
/** Between two tries to listen again, at least and at most, and two looks at a silent line, in milliseconds. */
const AGAIN = { first: 10, most: 2000 }
const HEARTBEAT = 30_000

/**
 * One listening connection for the whole store, opened when somebody waits for the first time. NOTIFY is sent after
 * the commit and never inside the append: it takes a lock for all of the server when it commits.
 */
export function createNews(lines: Lines, statements: Statements, warn: (message: string) => void): News {
  const { schema, pooler, shown } = lines.address
  const listeners = new Set<(told: number | undefined) => void>()
  const untold = new Set<number>()
  let telling: Promise<void> = Promise.resolve()
  let pausing: NodeJS.Timeout | undefined
  let line: Line | undefined
  let isListening = pooler
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let again = AGAIN.first

  const hear = (told: number | undefined) => {
    for (const listener of [...listeners]) listener(told)
  }

  async function listen(): Promise<void> {
    try {
      const opened = await lines.open({
        notice(_channel, payload) {
          for (const log of payload.split(',')) hear(Number(log))
        },
        lost: () => listenAgain(),
      })
      line = opened
      if (isClosed) return opened.end()
      await opened.run(`listen "${schema}"`, [], 'plain')
      timer = setInterval(() => opened.run('select 1', [], 'plain').catch(() => {}), HEARTBEAT).unref()
      again = AGAIN.first
      // What was committed before we listened came without a hint.
      hear(undefined)
    } catch (error) {
      if (line?.isOpen) {
        line.end()
        line = undefined
        warn(`PostgreSQL at ${shown} does not let us listen (${reason(error)}), so news comes every 2 seconds only.`)
      } else if (!line) listenAgain()
    }
  }

  function listenAgain(): void {
    clearInterval(timer)
    line = undefined
    if (isClosed) return
    timer = setTimeout(listen, again).unref()
    again = Math.min(again * 2, AGAIN.most)
  }

  function pause(): void {
    pausing = setTimeout(() => {
      pausing = undefined
      if (untold.size > 0) send()
    }, PAUSE).unref()
  }

  function send(): void {
    const logs = [...untold].slice(0, 500)
    for (const log of logs) untold.delete(log)
    pause()
    telling = lines.take().then(
      async (free) => {
        await say(free, logs)
        lines.give(free)
      },
      () => {},
    )
  }

  async function say(free: Line, logs: readonly number[]): Promise<void> {
    try {
      await free.run(statements.notify, [schema, logs.join(',')])
    } catch {
      // Only a hint: they look by themselves.
    }
  }

  return {
    on(listener) {
      listeners.add(listener)
      if (!isListening) {
        isListening = true
        void listen()
      }
      return () => void listeners.delete(listener)
    },
    tell(log) {
      if (isClosed) return
      untold.add(log)
      if (!pausing) send()
    },
    hint(log) {
      // A pooler gives the connection to somebody else behind a commit, and what comes after it is lost on the way.
      if (isClosed || pausing || pooler) return undefined
      pause()
      return (line) => {
        telling = say(line, [log])
      }
    },
    async flush() {
      if (untold.size > 0) send()
      await telling
    },
    close() {
      isClosed = true
      clearTimeout(pausing)
      clearInterval(timer)
      line?.end()
    },
  }
}
