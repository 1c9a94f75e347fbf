import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { SessionEvent } from '../../agent/session-event.ts'
import { chooseModel } from '../../session/choose-model.ts'
import { openSession } from '../../session/open-session.ts'
import { isUntouched, runPrompt } from '../../session/run-prompt.ts'
import type { Session } from '../../session/session.ts'
import { type SessionOptions, settingsOptions } from '../../session/session-options.ts'
import type { Line } from '../../session/wire/envelope.ts'
import { eventLine, initLine } from '../../session/wire/lines.ts'
import { createRunSummary, type ResumeCommand } from '../../session/wire/run-summary.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Workspace } from '../../workspace.ts'
import { printAsIs, printJson, printMessage, printStderr, warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { Misused, OutputClosed } from '../program/failure.ts'
import { version } from '../program/version.ts'
import { openStore } from '../workspace/open-store.ts'
import { readServers } from '../workspace/read-servers.ts'
import { readSettings } from '../workspace/read-settings.ts'
import { chooseSession } from './choose-session.ts'
import { exitCodeOf, reportEnd } from './end-report.ts'
import { modelOption } from './model-option.ts'
import { existingFolder, type Format, type RunOptions, settingsOf } from './options.ts'
import { createProgressText, createProviderWarnings } from './progress-text.ts'
import { promptOf, readPrompt } from './prompt.ts'

/** `deskmates -p …`: one prompt, one answer, no questions to a person. */
export async function runPromptCommand(call: Call, options: RunOptions, words: readonly string[]): Promise<number> {
  const prompt = promptOf(options, words)
  // A command id promises that a repeated command has one effect; a repeated prompt is a new turn.
  if (call.globals.commandId !== undefined)
    throw new Misused('--command-id does not work with -p. To resume an interrupted run: deskmates -c -p')
  if (call.globals.json && options.outputFormat === 'text')
    throw new Misused('--json and --output-format text contradict each other. Use one of them.')
  return runToEnd(call, options, { needsPrompt: true, prompt })
}

/** What a command runs. */
export interface RunToEnd {
  readonly needsPrompt: boolean
  readonly prompt?: string | undefined
  /** The session, where the options do not choose it. */
  readonly team?: string
  /** What the settings alone do not decide about the session. */
  session?(settings: Settings, workspace: Workspace): Promise<Pick<SessionOptions, 'scaling' | 'title' | 'autoCommit'>>
  /** The command that resumes this run; without it `deskmates -r …`. */
  readonly resumeCommand?: ResumeCommand
  /** Called before the run begins. */
  begin?(session: Session): Promise<void>
  /** Told of each event, besides what is printed in any case. */
  onEvent?(event: SessionEvent): Promise<void>
  /** More members of the result, and the text that is printed in place of the answer. */
  report?(session: Session): { readonly members: object; readonly text: string }
}

/** Opens or resumes a session, runs it until all work is finished, and prints the result. Resolves to the exit code. */
export async function runToEnd(call: Call, options: RunOptions, given: RunToEnd): Promise<number> {
  const format = options.outputFormat ?? (call.globals.json ? 'json' : 'text')
  await using workspace = await openStore(call)
  const loaded = await readSettings(call, workspace, settingsOf(options))
  const { settings } = loaded
  const mcpServers = await readServers(call, workspace, loaded, options)
  const own = await given.session?.(settings, workspace)
  const team = given.team ?? (await chooseSession(call, options, workspace))
  const cwd = resolve(call.cwd, call.globals.cwd ?? '.')
  const warning = (message: string) => void warn(call, message)
  const { model, modelFor, notice } = await chooseModel({
    ...{ settings, env: call.env, root: realpathSync(workspace.workspace), cwd, warn: warning },
    maxBudgetUsd: options.maxBudgetUsd,
    record: options.record,
  })
  const prompt = given.needsPrompt ? await readPrompt(call, given.prompt) : undefined
  if (prompt === undefined && team === undefined) throw new Misused("No prompt given. Write: deskmates -p 'what to do'")

  const { exit, id, didNothing } = await (async () => {
    await using session = await openSession({
      ...settingsOptions(settings, call.env),
      ...{ workspace, team, here: options.here, signal: call.signal, title: prompt, model, modelFor, cwd },
      limits: { turns: options.maxTurns, dollars: options.maxBudgetUsd },
      appendSystemPrompt: options.appendSystemPrompt,
      folders: options.addDir?.map((dir) => existingFolder(resolve(cwd, dir))),
      clock: call.clock,
      warn: warning,
      mcpServers,
      ...own,
    })
    if (notice !== undefined) await printMessage(call, `deskmates: ${notice}`)
    await given.begin?.(session)
    await session.toolsReady(call.signal)
    const expanded = await withServerTexts(session, prompt, given.prompt)
    const permissionMode = settings.permissions?.mode ?? 'default'
    return await converse(call, {
      session,
      prompt: expanded,
      format,
      about: { cwd, permissionMode, version },
      options,
      given,
    })
  })()
  // A new session that failed before its first answer (a wrong key, no network) holds nothing to resume.
  if (team === undefined && didNothing) {
    await workspace.store.remove(id, true)
    await printMessage(call, 'deskmates: Nothing was done, so no session is kept.')
  }
  return exit
}

/** What was typed may name prompts and resources of MCP servers; what was piped in may not: strangers may have written it. */
async function withServerTexts(session: Session, prompt: string | undefined, typed: string | undefined) {
  if (prompt === undefined || typed === undefined || !prompt.startsWith(typed)) return prompt
  return (await session.expandPrompt(typed)) + prompt.slice(typed.length)
}

interface RunRequest {
  readonly session: Session
  readonly prompt: string | undefined
  readonly format: Format
  readonly about: { readonly cwd: string; readonly permissionMode: string; readonly version: string }
  readonly options: RunOptions
  readonly given: RunToEnd
}

/** Runs the prompt and prints events and result in the format that was asked for. */
async function converse(call: Call, { session, prompt, format, about, options, given }: RunRequest) {
  const { id } = session
  const resumeCommand = given.resumeCommand ?? resumeCommandOf(id, options.model)
  const isVerbose = options.verbose ?? (format === 'text' && call.isStderrTerminal === true)
  const summary = createRunSummary()
  const progressText = createProgressText()
  const providerWarning = createProviderWarnings()
  const began = call.clock.now()
  let isOver = false
  const emit = async (line: Line | undefined) => {
    if (line && format === 'stream-json') await printJson(call, line)
  }
  try {
    await emit(initLine(session, about))
    const stop = await runPrompt(session, prompt, call.signal, async (event) => {
      summary.add(event)
      await given.onEvent?.(event)
      await emit(eventLine(event, id))
      const progress = isVerbose ? progressText(event) : undefined
      if (progress !== undefined) await printStderr(call, `${progress}\n`)
      // Verbose output and the stream report it already.
      const warning = isVerbose || format === 'stream-json' ? undefined : providerWarning(event)
      if (warning !== undefined) await warn(call, warning)
    })
    isOver = true
    const duration_ms = Math.round((call.clock.now() - began) * 1000)
    const result = summary.result(stop, { session_id: id, duration_ms, resumeCommand, left: session.left })
    const { members, text } = given.report?.(session) ?? { members: {}, text: stop.text }
    if (format === 'text') await printAsIs(call, text === '' ? '' : `${text.replace(/\n$/, '')}\n`)
    else await printJson(call, { ...result, ...members })
    const isResumed = prompt === undefined && given.report === undefined
    await reportEnd(call, { stop, summary, session, isResumed, resumeCommand })
    const didNothing = stop.kind === 'error' && summary.calls === 0 && isUntouched(session)
    return { exit: exitCodeOf(stop, summary, session.left), id, didNothing }
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error
    throw error.withOutcome(
      isOver
        ? `The run finished; only its answer could not be printed. See: deskmates log --team ${id}`
        : `The run was stopped. Nothing is lost; resume it with: ${resumeCommand("'go on'")}`,
    )
  }
}

/** With the model if one was named: otherwise the resumed session could have another one, or none. */
function resumeCommandOf(session: string, model: string | undefined): ResumeCommand {
  const start = `deskmates -r ${session}${modelOption(model)} -p`
  return (prompt) => (prompt === undefined ? start : `${start} ${prompt}`)
}
