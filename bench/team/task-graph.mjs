const CHAINS = 8
const LENGTH = 5
const SEED = 17

/**
 * Forty tasks: 8 chains of 5 with dependencies between the chains. `turns` is how many model calls a task takes until it
 * is completed: a number, or `varied` for 1 to 5 of a generator with a fixed seed.
 */
export function taskGraph(turns) {
  const random = seeded(SEED)
  const tasks = []
  for (let step = 0; step < LENGTH; step++) {
    for (let chain = 0; chain < CHAINS; chain++) {
      const id = (chain, step) => String(step * CHAINS + chain + 1)
      const across = (chain + step) % 2 === 0 ? [id((chain + 1) % CHAINS, step - 1)] : []
      tasks.push({
        id: id(chain, step),
        turns: turns === 'varied' ? 1 + Math.floor(random() * 5) : turns,
        blockedBy: step === 0 ? [] : [id(chain, step - 1), ...across],
      })
    }
  }
  return tasks
}

/** Model calls on the longest path: no team of any size and no order of work is faster. */
export function criticalPath(tasks) {
  const doneAt = new Map()
  // Tasks stand behind those that they wait for.
  for (const { id, turns, blockedBy } of tasks)
    doneAt.set(id, turns + Math.max(0, ...blockedBy.map((blocker) => doneAt.get(blocker))))
  return Math.max(...doneAt.values())
}

/** The order for the model server: it calls a tool in all turns but the last, which completes the task. */
export function orderFor(turns) {
  return `note ${turns - 1} times`
}

/** A ready queue as one would write it: workers take the first task whose blockers are done, until all are done. */
export function runReadyQueue(tasks, workers, work) {
  const open = [...tasks]
  const done = new Set()
  let running = 0
  return new Promise((resolve, reject) => {
    const start = () => {
      while (running < workers) {
        const at = open.findIndex(({ blockedBy }) => blockedBy.every((id) => done.has(id)))
        if (at < 0) break
        const [task] = open.splice(at, 1)
        running++
        work(task).then(() => {
          running--
          done.add(task.id)
          start()
        }, reject)
      }
      if (done.size === tasks.length) resolve()
    }
    start()
  })
}

/** mulberry32 */
function seeded(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
