export interface BenchTask {
  readonly id: string
  readonly turns: number
  readonly blockedBy: readonly string[]
}

export function taskGraph(turns: number | 'varied'): BenchTask[]
export function criticalPath(tasks: readonly BenchTask[]): number
export function runReadyQueue(
  tasks: readonly BenchTask[],
  workers: number,
  work: (task: BenchTask) => Promise<void>,
): Promise<void>
