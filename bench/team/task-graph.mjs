/**
 * Chains of tasks with dependencies between chains. It has a little slack: if every worker were busy in every turn, a
 * worker that is slightly faster would take another worker's task, and the run would end a whole turn later.
 */
export function taskGraph(chains, length) {
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
  return { subject: `task ${id}`, description: `read ${turns - 1} times`, blockedBy }
}

/**
 * Turns until the last task is completed if only the model takes time. A free worker takes the first ready task, which is
 * the rule of the board, and is free again one turn after it has completed one, because it still gets that result. For
 * the measured graph that makes 22 turns; the longest path alone takes 20, and the best order 21.
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
