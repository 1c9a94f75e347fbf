import type { Stop } from '../../agent/agent-event.ts'
import type { Session } from '../../session/session.ts'
import {
  type ResumeCommand,
  type RunSummary,
  type StructuredAnswer,
  stopErrors,
} from '../../session/wire/run-summary.ts'
import { printMessage } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { EXIT } from '../program/failure.ts'

export interface EndedRun {
  readonly stop: Stop
  readonly summary: RunSummary
  readonly session: Session
  /** A session was resumed without a prompt. */
  readonly isResumed: boolean
  readonly resumeCommand: ResumeCommand
  readonly structured?: StructuredAnswer | undefined
}

/** Tells a person on stderr why the run did not simply finish. A program reads that in the result. */
export async function reportEnd(
  call: Call,
  { stop, summary, session, isResumed, resumeCommand, structured }: EndedRun,
): Promise<void> {
  const { denials, calls, problems, failures } = summary
  if (stop.kind === 'finished' && isResumed && calls === 0 && session.left.length === 0)
    await printMessage(
      call,
      `Nothing to resume: all work is finished. Give it a new prompt: ${resumeCommand("'what to do'")}`,
    )
  for (const error of [...stopErrors(stop, resumeCommand, structured), ...problems, ...failures])
    await printMessage(call, `deskmates: ${error}`)
  for (const { team, pending, in_progress, failed } of session.left) {
    const counts = Object.entries({ pending, 'in progress': in_progress, failed }).filter(([, count]) => count > 0)
    const words = counts.map(([state, count]) => `${count} ${state}`).join(', ')
    await printMessage(call, `deskmates: Unfinished tasks: ${words}. See: deskmates task list --team ${team}`)
  }
  if (denials.length === 0) return
  const list = denials.map(({ tool_name, agent, reason }) => {
    const who = agent === 'lead' ? '' : ` by ${agent}`
    return `  ${tool_name}${who}: ${reason}`
  })
  const count = denials.length === 1 ? 'One action was' : `${denials.length} actions were`
  await printMessage(call, [`deskmates: ${count} denied:`, ...list].join('\n'))
}

export function exitCodeOf(
  stop: Stop,
  { denials, problems }: RunSummary,
  left: Session['left'],
  structured?: StructuredAnswer,
): number {
  switch (stop.kind) {
    case 'finished':
      if (problems.length > 0 || (structured && 'fault' in structured)) return EXIT.failed
      return denials.length > 0 || left.length > 0 ? EXIT.leftOpen : EXIT.done
    case 'limit':
    case 'budget':
      return EXIT.limit
    case 'aborted':
      return EXIT.interrupted
    case 'error':
      return EXIT.failed
  }
}
