import type { Job, JobEnd, Jobs, Outputs } from '../tool.ts'

export interface JobsOptions {
  readonly outputs: Outputs
  /** Called once for each job when it has ended, in any state. */
  onEnd(job: Job): void
  /** Number of earlier jobs of this conversation, so that ids stay unique after a resume. */
  readonly before?: number
}

/**
 * running    its work goes on
 * completed  the work ended and says it succeeded
 * failed     the work ended and says it did not, or threw
 * stopped    it was stopped and none of its processes run; a later result of the work is ignored
 */
type State = Job['state']

/** The jobs of one agent. Disposing stops all of them. */
export function createJobs({ outputs, onEnd, before = 0 }: JobsOptions): Jobs & AsyncDisposable {
  const jobs = new Map<string, Job>()
  return {
    start(kind, about, work) {
      const id = `${kind === 'bash' ? 'b' : 'a'}${(before + jobs.size + 1).toString(16).padStart(6, '0')}`
      const job = startJob({ id, about, work, outputs, onEnd })
      jobs.set(id, job)
      return job
    },
    get: (id) => jobs.get(id),
    list: () => [...jobs.values()],
    async [Symbol.asyncDispose]() {
      await Promise.all([...jobs.values()].map((job) => job.stop()))
    },
  }
}

interface JobOptions extends Pick<JobsOptions, 'outputs' | 'onEnd'> {
  readonly id: string
  readonly about: string
  readonly work: Parameters<Jobs['start']>[2]
}

function startJob({ id, about, work, outputs, onEnd }: JobOptions): Job {
  const stopping = new AbortController()
  const output = outputs.open(id)
  let state: State = 'running'
  let summary: string | undefined

  const write = (more: Uint8Array | string) => output.write(typeof more === 'string' ? Buffer.from(more) : more)
  const run = async () => {
    const end = await attempt(async () => {
      // A job that is stopped before it starts never runs.
      stopping.signal.throwIfAborted()
      return work({ id, signal: stopping.signal, write })
    })
    const isStopped = stopping.signal.aborted
    state = isStopped ? 'stopped' : end.state
    summary = isStopped ? 'stopped before it ended' : end.summary
    output.close()
    onEnd(job)
  }

  const job: Job = {
    id,
    about,
    get state() {
      return state
    },
    get output() {
      return output.text()
    },
    get outputPath() {
      return output.path
    },
    get summary() {
      return summary
    },
    // Starts asynchronously, so that the caller has the id before anything happens to the job.
    ended: Promise.resolve().then(run),
    async stop() {
      if (state === 'running') stopping.abort(new Error(`job ${id} was stopped`))
      await job.ended
    },
  }
  return job
}

async function attempt(work: () => Promise<JobEnd>): Promise<JobEnd> {
  try {
    return await work()
  } catch (error) {
    return { state: 'failed', summary: `Error: ${error instanceof Error ? error.message : String(error)}` }
  }
}
