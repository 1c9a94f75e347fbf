import type { Stop } from '../../agent/agent-event.ts'
import type { SessionEvent } from '../../agent/session-event.ts'
import { safeJson } from '../../redaction/plain-text.ts'
import { createRedactor } from '../../redaction/redactor.ts'
import { isUntouched, runPrompt } from '../../session/run-prompt.ts'
import type { Session } from '../../session/session.ts'
import type { Line } from '../../session/wire/envelope.ts'
import { eventLine, initLine } from '../../session/wire/lines.ts'
import { createPartialMessages } from '../../session/wire/partial-messages.ts'
import { createRunSummary, type ResumeCommand, type StructuredAnswer } from '../../session/wire/run-summary.ts'
import type { AnswerSchema } from '../../tools/json-schema/answer-schema.ts'
import { printAsIs, printJson, printStderr, warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { EXIT, OutputClosed } from '../program/failure.ts'
import { exitCodeOf, reportEnd } from './end-report.ts'
import { type MessageLines, WrongLine } from './message-lines.ts'
import { modelOption } from './model-option.ts'
import type { Format, RunOptions } from './options.ts'
import { createProgressText, createProviderWarnings } from './progress-text.ts'
import type { RunToEnd } from './run-to-end.ts'

export interface Conversation {
  readonly session: Session
  readonly prompt: string | undefined
  /** Reads the prompt after that; undefined where there is one prompt only. */
  readonly next: MessageLines | undefined
  /** What the answers have to fit. */
  readonly schema: AnswerSchema | undefined
  readonly format: Format
  readonly about: { readonly cwd: string; readonly permissionMode: string; readonly version: string }
  readonly options: RunOptions
  readonly given: RunToEnd
  /** Values that must not be printed, besides those of secret variables. */
  readonly secrets?: readonly string[] | undefined
}

interface Conversed {
  readonly exit: number
  readonly id: string
  readonly didNothing: boolean
}

/** Runs one prompt after the other; each has a result. The exit code is that of the last one that did not end with 0. */
export async function converse(call: Call, conversation: Conversation): Promise<Conversed> {
  const { session, next, format, about } = conversation
  if (format === 'stream-json') await printJson(call, initLine(session, about))
  let { prompt } = conversation
  // What follows comes from a program.
  let typed = conversation.given.prompt
  let exit: number = EXIT.done
  let didNothing = true
  for (;;) {
    const ran = await runOnce(call, conversation, prompt, typed)
    typed = undefined
    if (ran.exit !== EXIT.done) exit = ran.exit
    didNothing &&= ran.didNothing
    // A limit counts all prompts together; after a failure the next prompt may succeed.
    const isOver = next === undefined || !['finished', 'error'].includes(ran.stop.kind)
    prompt = isOver ? undefined : await nextPrompt(next, ran.resumeCommand)
    if (prompt === undefined) return { exit, id: session.id, didNothing }
  }
}

async function nextPrompt(next: MessageLines, resumeCommand: ResumeCommand): Promise<string | undefined> {
  try {
    return await next()
  } catch (error) {
    if (!(error instanceof WrongLine)) throw error
    throw new WrongLine(`${error.message}. The messages before it were answered; continue with: ${resumeCommand()}`)
  }
}

/** Runs the prompt and prints events and result in the format that was asked for. */
async function runOnce(
  call: Call,
  { session, schema, format, options, given, secrets }: Conversation,
  prompt: string | undefined,
  typed: string | undefined,
): Promise<Omit<Conversed, 'id'> & { readonly stop: Stop; readonly resumeCommand: ResumeCommand }> {
  const { id } = session
  const resumeCommand = given.resumeCommand ?? resumeCommandOf(id, options.model)
  const isVerbose = options.verbose ?? (format === 'text' && call.isStderrTerminal === true)
  const summary = createRunSummary()
  const progressText = createProgressText()
  const providerWarning = createProviderWarnings()
  const partial = options.includePartialMessages
    ? createPartialMessages(id, createRedactor(call.env, secrets))
    : () => []
  const began = call.clock.now()
  let isOver = false
  const emit = async (line: Line | undefined) => {
    if (line && format === 'stream-json') await printJson(call, line)
  }
  try {
    const onEvent = async (event: SessionEvent) => {
      summary.add(event)
      await given.onEvent?.(event)
      for (const line of partial(event)) await emit(line)
      await emit(eventLine(event, id))
      const progress = isVerbose ? progressText(event) : undefined
      if (progress !== undefined) await printStderr(call, `${progress}\n`)
      // Verbose output and the stream report it already.
      const warning = isVerbose || format === 'stream-json' ? undefined : providerWarning(event)
      if (warning !== undefined) await warn(call, warning)
    }
    const stop = await runPrompt(session, { prompt, typed }, call.signal, onEvent)
    isOver = true
    const duration_ms = Math.round((call.clock.now() - began) * 1000)
    const structured = schema && stop.kind === 'finished' ? schema.read(stop.text) : undefined
    const facts = { session_id: id, duration_ms, resumeCommand, left: session.left, structured }
    const result = summary.result(stop, facts)
    const { members, text } = given.report?.(session) ?? { members: {}, text: textOf(stop, structured) }
    if (format === 'text') await printAsIs(call, text === '' ? '' : `${text.replace(/\n$/, '')}\n`)
    else await printJson(call, { ...result, ...members })
    const isResumed = prompt === undefined && given.report === undefined
    await reportEnd(call, { stop, summary, session, isResumed, resumeCommand, structured })
    const didNothing = stop.kind === 'error' && summary.calls === 0 && isUntouched(session)
    return { exit: exitCodeOf(stop, summary, session.left, structured), didNothing, stop, resumeCommand }
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error
    throw error.withOutcome(
      isOver
        ? `The run finished; only its answer could not be printed. See: deskmates log --team ${id}`
        : `The run was stopped. Nothing is lost; resume it with: ${resumeCommand("'go on'")}`,
    )
  }
}

/** A value that was asked for is printed as JSON, without the text that a model may have put around it. */
function textOf({ text }: Stop, structured: StructuredAnswer | undefined): string {
  return structured && 'value' in structured ? safeJson(structured.value) : text
}

/** With the model if one was named: otherwise the resumed session could have another one, or none. */
function resumeCommandOf(session: string, model: string | undefined): ResumeCommand {
  const start = `deskmates -r ${session}${modelOption(model)} -p`
  return (prompt) => (prompt === undefined ? start : `${start} ${prompt}`)
}
