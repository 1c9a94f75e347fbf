import { fork } from 'node:child_process'

/**
 * Processes that do a piece of work together, several times over: what the compiler does in a process's first seconds
 * is not what a rate is about. `program` answers `{ prepare }` with `ready` and `go` with `{ done }`; see rounds.mjs.
 */
export function openCrowd(program, size) {
  const children = Array.from({ length: size }, () => fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }))
  const ended = children.map((child) => new Promise((resolve) => child.once('exit', resolve)))

  return {
    /** Lets all begin at once; `pieces[i]` is what the i-th is told. */
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
    const early = (code) => reject(new Error(`a process ended early with code ${code}`))
    child.once('exit', early)
    child.once('message', (message) => {
      child.off('exit', early)
      resolve(message)
    })
  })
}
