import { constants } from 'node:os'
import { z } from 'zod'
import { failureNotes } from '../../permissions/sandbox/failure-notes.ts'
import { defineTool } from '../define-tool.ts'
import { taskOutput } from '../jobs/task-output.ts'
import { ALL_ROLES, type ToolFactory } from '../own-tool.ts'
import type { JobEnd, Tool, ToolContext, ToolResult } from '../tool.ts'
import description from './bash.md'
import { type CommandEnd, runCommand } from './run-command.ts'

export interface BashSettings {
  /** Milliseconds a command may take by default. */
  readonly timeout?: number
  /** The most it may ask for. */
  readonly longest?: number
  /** Off for agents that have no TaskOutput and TaskStop. */
  readonly background?: boolean
}

export function createBash({ timeout = 60_000, longest = 600_000, background = true }: BashSettings = {}): Tool {
  const Input = z.strictObject({
    command: z.string().min(1).refine(hasNoNul, 'holds a NUL byte, which no command can'),
    timeout: z.int().min(1).max(longest).optional().describe(`milliseconds, ${timeout} by default`),
    ...(background && {
      run_in_background: z.boolean().optional().describe('return a task_id at once and go on; no time-out by default'),
    }),
  })
  return defineTool({
    name: 'bash',
    description,
    input: Input as z.ZodType<BashInput>,
    action: ({ command }) => ({ kind: 'run', tool: 'bash', command }),
    run: (input, context) =>
      input.run_in_background ? runAsJob(input, context) : runNow({ timeout, ...input }, context),
  })
}

const withJobs = createBash()
const withoutJobs = createBash({ background: false })

/** Only a role that can watch a job may start one. */
export const bash: ToolFactory<'bash'> = {
  name: 'bash',
  roles: ALL_ROLES,
  create: ({ role }) => (taskOutput.roles.includes(role) ? withJobs : withoutJobs),
}

interface BashInput {
  readonly command: string
  readonly timeout?: number | undefined
  readonly run_in_background?: boolean | undefined
}

async function runNow({ command, timeout }: BashInput, context: ToolContext): Promise<ToolResult> {
  const output = context.outputs.open('bash')
  const reporter = progressReporter(context)
  const start = startOptions(command, context)
  const seeViews = context.watchViews?.()
  let undone: readonly string[] = []
  let forged: readonly string[] = []
  try {
    const end = await runCommand({
      ...start,
      signal: context.signal,
      timeout,
      record: (group) => context.recordGroup(group),
      onOutput(bytes) {
        output.write(bytes)
        reporter.add(bytes)
      },
    }).finally(async () => {
      undone = start.sandboxed?.release() ?? []
      forged = (await seeViews?.()) ?? []
    })
    output.close()
    const text = output.text().trim() || '(no output)'
    const notes = [...endNotes(end, timeout), ...(end.leftOver ? [LEFT_OVER] : []), ...undone, ...forged]
    if (start.sandboxed && !isSuccess(end)) notes.push(...failureNotes(command, text, start.sandboxed))
    const outputPath = output.path
    return {
      text: [text, ...notes].join('\n'),
      isError: !isSuccess(end) || forged.length > 0,
      ...(outputPath !== undefined && { outputPath }),
    }
  } finally {
    reporter.end()
    output.close()
  }
}

const LEFT_OVER =
  '[processes it had left in the background were ended with it; to keep something running use run_in_background]'

function runAsJob({ command, timeout }: BashInput, context: ToolContext): ToolResult {
  const job = context.jobs.start('bash', command, async ({ id, signal, write }): Promise<JobEnd> => {
    const start = startOptions(command, context)
    const seeViews = context.watchViews?.()
    let undone: readonly string[] = []
    let forged: readonly string[] = []
    const end = await runCommand({
      ...start,
      signal,
      timeout,
      record: (group) => context.recordGroup(group, id),
      onOutput: write,
    }).finally(async () => {
      undone = start.sandboxed?.release() ?? []
      forged = (await seeViews?.()) ?? []
    })
    const words = [...endNotes(end, timeout), ...undone, ...forged].join(' ')
    return { state: isSuccess(end) && forged.length === 0 ? 'completed' : 'failed', summary: words || 'exit code 0' }
  })
  const words =
    'It keeps running. You get a notice when it ends; see its output with TaskOutput, stop it with TaskStop.'
  return { text: `${JSON.stringify({ task_id: job.id, status: 'running' })}\n${words}` }
}

function startOptions(command: string, context: ToolContext) {
  const sandboxed = context.sandbox?.forCommand(command)
  const env = { ...(sandboxed?.env ?? context.env), DESKMATES_AGENT: context.agent }
  return { command, cwd: context.root, env, sandboxed }
}

function isSuccess({ code, isTimedOut }: CommandEnd): boolean {
  return code === 0 && !isTimedOut
}

function endNotes({ code, killedBy, isTimedOut }: CommandEnd, timeout: number | undefined): string[] {
  if (isTimedOut)
    return [
      `[ended after ${timeout} ms, its time-out; give it a longer one, or use run_in_background if it may take long]`,
    ]
  if (killedBy) return [`[killed by ${killedBy}]`]
  // Shells report 128 + N for a command that signal N killed.
  const signal = Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0]
  return code === 0 ? [] : [`[exit code ${code}${signal ? `: ${signal}` : ''}]`]
}

/** Reports the newest line as progress, at most five times a second, and the last line in any case. */
function progressReporter(context: ToolContext): { add(bytes: Uint8Array): void; end(): void } {
  let newest = new Uint8Array()
  let pause: NodeJS.Timeout | undefined
  const report = () => {
    if (newest.length === 0) return
    const lines = new TextDecoder()
      .decode(newest)
      .trimEnd()
      .split(/[\r\n]+/)
    newest = new Uint8Array()
    context.progress(lines.at(-1) ?? '')
  }
  const wait = () => {
    pause = newest.length === 0 ? undefined : setTimeout(wait, 200)
    report()
  }
  return {
    add(bytes) {
      newest = bytes.slice(-500)
      if (pause === undefined) wait()
    },
    end() {
      clearTimeout(pause)
      report()
    },
  }
}

function hasNoNul(text: string): boolean {
  return !text.includes('\0')
}
