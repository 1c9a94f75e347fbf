import { z } from 'zod'
import { defineOwnTool } from '../own-tool.ts'
import { unknownJob } from './task-output.ts'
import description from './task-stop.md'

export const taskStop = defineOwnTool({
  name: 'TaskStop',
  roles: ['lead'],
  description,
  input: z.strictObject({ task_id: z.string() }),
  action: () => undefined,
  async run({ task_id }, { jobs }) {
    const job = jobs.get(task_id)
    if (!job) return unknownJob(task_id, jobs)
    const had = job.state === 'running' ? '' : '\nIt had already ended.'
    await job.stop()
    return `${JSON.stringify({ task_id: job.id, status: job.state })}${had}`
  },
})
