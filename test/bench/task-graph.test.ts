import { describe, expect, it } from 'vitest'
import { criticalPath, runReadyQueue, taskGraph } from '../../bench/team/task-graph.mjs'

describe('the task graph of the benchmark', () => {
  it('has 40 tasks, and a critical path that 8 workers can reach', () => {
    for (const turns of [3, 'varied'] as const) {
      const tasks = taskGraph(turns)
      const work = tasks.reduce((sum, task) => sum + task.turns, 0)
      expect(tasks).toHaveLength(40)
      expect(criticalPath(tasks)).toBeGreaterThanOrEqual(work / 8)
    }
    expect(criticalPath(taskGraph(3))).toBe(15)
  })

  it('is the same graph in every run', () => {
    expect(taskGraph('varied')).toEqual(taskGraph('varied'))
  })

  it('is worked through by the ready queue in an order its dependencies allow', async () => {
    const done = new Set<string>()
    let running = 0
    let most = 0
    await runReadyQueue(taskGraph(3), 8, async ({ id, blockedBy }) => {
      expect(blockedBy.every((blocker) => done.has(blocker))).toBe(true)
      most = Math.max(most, ++running)
      await Promise.resolve()
      running--
      done.add(id)
    })
    expect(done.size).toBe(40)
    expect(most).toBe(8)
  })
})
