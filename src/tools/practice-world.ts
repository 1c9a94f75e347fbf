import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createReads } from './files/reads.ts'
import { createJobs } from './jobs/jobs.ts'
import { createOutputs } from './results/outputs.ts'
import type { Job, ProcessGroup, ToolContext } from './tool.ts'

/** A real folder with all a tool may use, and what became of it. Only for tests. */
export interface PracticeWorld extends ToolContext {
  readonly ended: Job[]
  readonly groups: (ProcessGroup & { readonly job: string | undefined })[]
  readonly told: string[]
  readonly stop: AbortController
}

export function practiceWorld(changes: Partial<ToolContext> = {}): PracticeWorld {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-tools-')))
  const outputs = createOutputs({ folder: join(root, '.teams', 'web', 'outputs', 'ada'), root })
  const [ended, groups, told, stop]: [Job[], PracticeWorld['groups'], string[], AbortController] = [
    [],
    [],
    [],
    new AbortController(),
  ]
  return {
    agent: 'ada',
    team: 'web',
    callId: 'call-1',
    signal: stop.signal,
    root,
    folders: [],
    env: { PATH: process.env.PATH ?? '' },
    outputs,
    jobs: createJobs({ outputs, onEnd: (job) => void ended.push(job) }),
    reads: createReads(),
    forbids: () => false,
    recordGroup: async (group, job) => void groups.push({ ...group, job }),
    fence: async () => {},
    progress: (text) => void told.push(text),
    ended,
    groups,
    told,
    stop,
    ...changes,
  }
}
