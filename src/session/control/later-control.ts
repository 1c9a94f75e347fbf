import type { Clock } from '../../journal/clock.ts'
import type { TimedLine } from '../wire/live-line.ts'
import type { SessionControl } from './session-control.ts'

/** The control of a session that is still being opened: what a person does meanwhile is done when it is open. */
export interface LaterControl extends SessionControl {
  /** Tells the person something that the session warns of. */
  note(text: string): void
}

/** Empty until the session is open: its name, which only then is known. Disposing it leaves the session as it is. */
export function laterControl(opening: Promise<SessionControl>, clock: Clock): LaterControl {
  const readers = new Set<(timed: TimedLine) => void>()
  const early: TimedLine[] = []
  let session = ''
  // Every operation that waits for it rejects with the reason.
  opening.then(
    (control) => {
      session = control.session
    },
    () => {},
  )

  return {
    get session() {
      return session
    },
    note(text) {
      const line = { type: 'deskmates/note', session_id: session, agent: 'lead', text } as const
      const timed = { at: clock.now(), line }
      early.push(timed)
      for (const read of readers) read(timed)
    },
    subscribe(onLine, onEnd = () => {}) {
      let stop: (() => void) | undefined
      let isStopped = false
      const missed = [...early]
      readers.add(onLine)
      queueMicrotask(() => {
        if (!isStopped) for (const timed of missed) onLine(timed)
      })
      opening.then(
        (control) => {
          if (!isStopped) stop = control.subscribe(onLine, onEnd)
        },
        () => {},
      )
      return () => {
        isStopped = true
        readers.delete(onLine)
        stop?.()
      }
    },
    history: async (...given) => (await opening).history(...given),
    prompt: async (...given) => (await opening).prompt(...given),
    interrupt: async (...given) => (await opening).interrupt(...given),
    send: async (...given) => (await opening).send(...given),
    answer: async (...given) => (await opening).answer(...given),
    answerRequest: async (...given) => (await opening).answerRequest(...given),
    rules: async () => (await opening).rules(),
    setMode: async (...given) => (await opening).setMode(...given),
    setModel: async (...given) => (await opening).setModel(...given),
    spawn: async (...given) => (await opening).spawn(...given),
    stop: async (...given) => (await opening).stop(...given),
    compact: async (...given) => (await opening).compact(...given),
    async [Symbol.asyncDispose]() {
      readers.clear()
    },
  }
}
