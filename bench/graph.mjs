/**
 * Chains of tasks with edges across; what each takes stands in its description. There is a little slack in it: where
 * every worker is busy in every turn, whoever is faster by a hair takes another task, and all end a whole turn later.
 */
export function graph(chains, length) {
  const tasks = []
  for (let step = 0; step < length; step++) {
    for (let chain = 0; chain < chains; chain++) {
      const id = (chain, step) => String(step * chains + chain + 1)
      const across = (chain + step) % 2 === 0 ? [id((chain + 1) % chains, step - 1)] : []
      tasks.push({
        id: id(chain, step),
        // Calls of the model until it is completed: 1 to 5.
        turns: ((chain * 7 + step * 3) % 5) + 1,
        blockedBy: step === 0 ? [] : [id(chain, step - 1), ...across],
      })
    }
  }
  return tasks
}

export function draft({ id, turns, blockedBy }) {
  return { subject: `task ${id}`, description: `look ${turns - 1} times`, blockedBy }
}

/**
 * When the last task is completed if nothing but the model takes time: whoever is free takes the first ready task. A
 * worker is free one turn after it has completed a task, because it still hears that it did. That is the rule of the
 * board (first come, first served): the longest path alone would take 20 turns of these 22, and the best order 21.
 */
export function idealTurns(tasks, workers) {
  const open = [...tasks]
  const doneAt = new Map()
  const freeAt = Array.from({ length: workers }, () => 0)
  for (let now = 0; open.length > 0; now++) {
    for (let worker = 0; worker < workers; worker++) {
      if (freeAt[worker] > now) continue
      const at = open.findIndex(({ blockedBy }) => blockedBy.every((id) => doneAt.get(id) <= now))
      if (at < 0) break
      const [{ id, turns }] = open.splice(at, 1)
      doneAt.set(id, now + turns)
      freeAt[worker] = now + turns + 1
    }
  }
  return Math.max(...doneAt.values())
}
