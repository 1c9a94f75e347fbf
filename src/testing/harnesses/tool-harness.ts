import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProcessGroup } from '../../permissions/processes/process-group.ts'
import { createReads } from '../../tools/files/reads.ts'
import { createJobs } from '../../tools/jobs/jobs.ts'
import { createOutputs } from '../../tools/results/outputs.ts'
import type { Job, ToolContext } from '../../tools/tool.ts'

/** A tool context on a real temporary folder; keeps what the tool reported. */
export interface ToolHarness extends ToolContext {
  readonly ended: Job[]
  readonly groups: (ProcessGroup & { readonly job: string | undefined })[]
  readonly progressTexts: string[]
  readonly stop: AbortController
}

export function toolHarness(changes: Partial<ToolContext> = {}): ToolHarness {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-tools-')))
  const outputs = createOutputs({ folder: join(root, '.teams', 'web', 'outputs', 'ada'), root })
  const ended: Job[] = []
  const groups: ToolHarness['groups'] = []
  const progressTexts: string[] = []
  const stop = new AbortController()
  return {
    agent: 'ada',
    team: 'web',
    callId: 'call-1',
    memberships: () => [],
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
    progress: (text) => void progressTexts.push(text),
    ended,
    groups,
    progressTexts,
    stop,
    ...changes,
  }
}
