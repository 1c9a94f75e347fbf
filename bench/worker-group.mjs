import { fork } from 'node:child_process'

/**
 * Processes that do pieces of work at the same time, for several rounds, because the first seconds of a process measure
 * the compiler. `program` answers `{ prepare }` with `ready` and `go` with `{ done }`; see worker-rounds.mjs.
 */
export function startWorkers(program, size) {
  const children = Array.from({ length: size }, () => fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }))
  const ended = children.map((child) => new Promise((resolve) => child.once('exit', resolve)))

  return {
    /** Starts all at once; `pieces[i]` is the piece of the i-th process. */
    async run(pieces) {
      const prepared = answers()
      for (const [i, child] of children.entries()) child.send({ prepare: pieces[i] })
      await prepared
      const reports = answers()
      const begin = performance.now()
      for (const child of children) child.send('go')
      const done = (await reports).reduce((sum, report) => sum + report.done, 0)
      return { done, perSecond: (1000 * done) / (performance.now() - begin) }
    },
    async close() {
      for (const child of children) if (child.connected) child.disconnect()
      await Promise.all(ended)
    },
  }

  function answers() {
    return Promise.all(children.map((child) => answer(child)))
  }
}

function answer(child) {
  return new Promise((resolve, reject) => {
    const early = (code) => reject(new Error(`a worker process ended early with exit code ${code}`))
    child.once('exit', early)
    child.once('message', (message) => {
      child.off('exit', early)
      resolve(message)
    })
  })
}
