import { z } from 'zod'
import { defineOwnTool } from '../own-tool.ts'
import type { Job, Jobs, ToolResult } from '../tool.ts'
import description from './task-output.md'

const Input = z.strictObject({
  task_id: z.string(),
  block: z.boolean().default(true).describe('wait for it to end'),
  timeout: z.int().min(0).max(600_000).default(30_000).describe('how many milliseconds to wait'),
})

export const taskOutput = defineOwnTool({
  name: 'TaskOutput',
  roles: ['lead'],
  description,
  input: Input,
  isReadOnly: true,
  action: () => undefined,
  async run({ task_id, block, timeout }, { jobs, signal }) {
    const job = jobs.get(task_id)
    if (!job) return unknownJob(task_id, jobs)
    if (block && job.state === 'running') await waitForEnd(job, timeout, signal)
    signal.throwIfAborted()
    const { id, state, summary, outputPath } = job
    const text = JSON.stringify({ task_id: id, status: state, ...(summary && { summary }), output: job.output })
    return { text, ...(outputPath !== undefined && { outputPath }) }
  },
})

export function unknownJob(id: string, jobs: Jobs): ToolResult {
  const known = jobs.list().map((job) => `${job.id} (${job.state})`)
  const there = known.length === 0 ? 'There are no jobs.' : `Known jobs: ${known.join(', ')}.`
  return { text: JSON.stringify({ error: `Task ${id} not found. ${there}` }), isError: true }
}

/** Waits until the job ends, the time-out passes or the call is aborted. */
async function waitForEnd(job: Job, timeout: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = withResolvers()
  const timer = setTimeout(resolve, timeout)
  signal.addEventListener('abort', resolve)
  try {
    await Promise.race([job.ended, promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', resolve)
  }
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
