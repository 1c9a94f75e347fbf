import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { chooseModel } from '../../session/choose-model.ts'
import { openSession } from '../../session/open-session.ts'
import type { Session } from '../../session/session.ts'
import { settingsOptions } from '../../session/session-options.ts'
import { printMessage, warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { Misused } from '../program/failure.ts'
import { version } from '../program/version.ts'
import { openStore } from '../workspace/open-store.ts'
import { readServers } from '../workspace/read-servers.ts'
import { readSettings } from '../workspace/read-settings.ts'
import { agentsOption } from './agents-option.ts'
import { answerSchemaOption, structuredAnswers } from './answer-schema-option.ts'
import { type WantedSession, wantedSession } from './choose-session.ts'
import { converse } from './converse.ts'
import { type MessageLines, readMessageLines } from './message-lines.ts'
import { existingFolder, type RunOptions, settingsOf } from './options.ts'
import { promptOf, readPrompt, requireConsistent } from './prompt.ts'
import type { RunToEnd } from './run-to-end.ts'

/** `deskmates -p …`: a prompt and its answer, or several of them from stdin; no questions to a person. */
export async function runPromptCommand(call: Call, options: RunOptions, words: readonly string[]): Promise<number> {
  requireConsistent(call, options, words)
  if (options.inputFormat === 'stream-json') return runToEnd(call, options, { needsPrompt: true })
  const prompt = promptOf(options, words)
  return runToEnd(call, options, { needsPrompt: true, prompt })
}

/** Opens or resumes a session, runs it until all work is finished, and prints the result. Resolves to the exit code. */
export async function runToEnd(call: Call, options: RunOptions, given: RunToEnd): Promise<number> {
  const format = options.outputFormat ?? (call.globals.json ? 'json' : 'text')
  const cwd = resolve(call.cwd, call.globals.cwd ?? '.')
  const schema = answerSchemaOption(options.jsonSchema, cwd)
  await using workspace = await openStore(call)
  const loaded = await readSettings(call, workspace, settingsOf(options), options.settings)
  const { settings } = loaded
  const mcpServers = await readServers(call, workspace, loaded, options)
  const own = await given.session?.(settings, workspace)
  const wanted = await (given.team === undefined ? wantedSession(call, options, workspace) : existing(given.team))
  const warning = (message: string) => void warn(call, message)
  const agentTypes = agentsOption(options.agents, warning)
  const { model, modelFor, notice } = await chooseModel({
    ...{ settings, env: call.env, root: realpathSync(workspace.workspace), cwd, warn: warning },
    maxBudgetUsd: options.maxBudgetUsd,
    record: options.record,
  })
  const input = await openInput(call, options, given)
  const { first: prompt } = input
  if (prompt === undefined && wanted.isNew) throw noPrompt(options)

  const { exit, id, didNothing } = await (async () => {
    await using session = await openSession({
      ...settingsOptions(settings, call.env, loaded.origins),
      ...{ workspace, ...wanted, here: options.here, signal: call.signal, title: prompt, model, modelFor, cwd },
      limits: { turns: options.maxTurns, dollars: options.maxBudgetUsd },
      limitsAllRuns: input.next !== undefined,
      ...structuredAnswers(schema, options.appendSystemPrompt),
      folders: options.addDir?.map((dir) => existingFolder(resolve(cwd, dir))),
      clock: call.clock,
      warn: warning,
      ...{ mcpServers, agentTypes },
      ...own,
    })
    if (notice !== undefined) await printMessage(call, `deskmates: ${notice}`)
    await given.begin?.(session)
    await session.toolsReady(call.signal)
    const expanded = await withServerTexts(session, prompt, given.prompt)
    const permissionMode = settings.permissions?.mode ?? 'default'
    const secrets = settingsOptions(settings, call.env).secrets
    return await converse(call, {
      ...{ session, prompt: expanded, next: input.next, schema, secrets },
      format,
      about: { cwd, permissionMode, version },
      options,
      given,
    })
  })()
  // A new session that failed before its first answer (a wrong key, no network) holds nothing to resume.
  if (wanted.isNew && didNothing) {
    await workspace.store.remove(id, true)
    await printMessage(call, 'deskmates: Nothing was done, so no session is kept.')
  }
  return exit
}

async function existing(team: string): Promise<WantedSession> {
  return { team, isNew: false }
}

interface Input {
  /** The first prompt; undefined: none. */
  readonly first: string | undefined
  /** Reads the next one; undefined where there is one prompt only. */
  readonly next?: MessageLines
}

async function openInput(call: Call, options: RunOptions, given: RunToEnd): Promise<Input> {
  if (!given.needsPrompt) return { first: undefined }
  if (options.inputFormat !== 'stream-json') return { first: await readPrompt(call, given.prompt) }
  const next = readMessageLines(call)
  const first = await next()
  // Without a message nothing is asked, whether a session is resumed or not.
  if (first === undefined) throw noPrompt(options)
  return { first, next }
}

function noPrompt({ inputFormat }: RunOptions): Misused {
  if (inputFormat !== 'stream-json') return new Misused("No prompt given. Write: deskmates -p 'what to do'")
  return new Misused('stdin ended without a message. Write one JSON object per line; see docs/scripts-and-ci.md')
}

/** What was typed may name prompts and resources of MCP servers; what was piped in may not: strangers may have written it. */
async function withServerTexts(session: Session, prompt: string | undefined, typed: string | undefined) {
  if (prompt === undefined || typed === undefined || !prompt.startsWith(typed)) return prompt
  return (await session.expandPrompt(typed)) + prompt.slice(typed.length)
}
