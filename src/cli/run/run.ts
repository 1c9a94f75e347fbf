import { existsSync, realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Stop } from '../../agent/agent-event.ts'
import type { SupervisorSettings } from '../../agent/session-context.ts'
import type { SessionEvent } from '../../agent/session-event.ts'
import { openTeam } from '../../journal/team-handle.ts'
import { openSession } from '../../session/open-session.ts'
import type { Session } from '../../session/session.ts'
import { newestSession } from '../../session/session-id.ts'
import type { Settings } from '../../settings/settings.ts'
import { nameKey } from '../../team/name.ts'
import { isSessionId } from '../../team/session-id.ts'
import { roster } from '../../team/state.ts'
import type { Workspace } from '../../workspace.ts'
import type { Call } from '../context.ts'
import { EXIT, Misused, OutputClosed, Refused } from '../failure.ts'
import { openStore } from '../open-store.ts'
import { DEFAULT, unknownTeam, wantedTeam } from '../open-team.ts'
import { printAsIs, printJson, say, talk, warn } from '../print.ts'
import { readSettings } from '../read-settings.ts'
import { isPrompt, unknownWord } from '../read-words.ts'
import type { SubCommand } from '../sub-command.ts'
import { version } from '../version.ts'
import { type Chosen, chooseModel } from './choose-model.ts'
import type { Line } from './envelope.ts'
import { lineOf } from './lines.ts'
import { defineOptions, type Format, type RunOptions, settingsOf } from './options.ts'
import { readPrompt } from './prompt.ts'
import { createTrouble, talkOf } from './talk.ts'
import { createTally, errorsOf, type Tally } from './tally.ts'

/** What `deskmates -p …` does: one prompt, one answer, no questions to a person. */
export const run: SubCommand<RunOptions, [words: string[]]> = {
  example: `$ deskmates 'why does the build fail?' --allowedTools 'bash(npm *)'
$ git diff | deskmates -p 'review this' --output-format json
$ deskmates -c -p 'and now fix it' --permission-mode acceptEdits`,
  instead: () => 'Use your Task tool.',
  define: defineOptions,
  async run(call, options, words) {
    const asked = promptOf(options, words)
    // Taken for granted it would promise that a repeated prompt is heard once; a session is what can be gone on with.
    if (call.globals.commandId !== undefined)
      throw new Misused('--command-id is not for -p. To go on with a run that was cut off: deskmates -c -p')
    if (call.globals.json && options.outputFormat === 'text')
      throw new Misused('--json and --output-format text contradict each other. Use one of them.')
    return carryOut(call, options, { isAsked: true, asked })
  },
}

/** The prompt on the command line, with or without `-p` in front of it; undefined where it can only come from stdin. */
function promptOf({ print, ...options }: RunOptions, words: readonly string[]): string | undefined {
  const all = typeof print === 'string' ? [print, ...words] : words
  if (all.length > 1)
    throw new Misused(
      `There are ${all.length} prompts: ${all.map((word) => JSON.stringify(word)).join(' and ')}. Quote the whole.`,
    )
  if (print !== undefined) return all[0]
  const [prompt] = all
  if (prompt === undefined) {
    const goOn = options.continue ? '-c ' : typeof options.resume === 'string' ? `-r ${options.resume} ` : ''
    throw new Misused(`Say what to do: deskmates ${goOn}-p 'what to do'`)
  }
  if (!isPrompt(prompt)) throw unknownWord([prompt])
  return prompt
}

/** A run from its first word, or from where a session was, until all is settled. */
export async function carryOut(
  call: Call,
  options: RunOptions,
  { isAsked, asked }: { readonly isAsked: boolean; readonly asked?: string | undefined },
): Promise<number> {
  const format = options.outputFormat ?? (call.globals.json ? 'json' : 'text')
  await using workspace = await openStore(call)
  const { settings } = await readSettings(call, workspace, settingsOf(options))
  const team = await wantedSession(call, options, workspace)
  const cwd = resolve(call.cwd, call.globals.cwd ?? '.')
  const root = realpathSync(workspace.workspace)
  const chosen = await chooseModel(options, settings, call.env, {
    root,
    cwd,
    warn: (message) => void warn(call, message),
  })
  const prompt = isAsked ? await readPrompt(call, asked) : undefined
  if (prompt === undefined && team === undefined) throw new Misused("Say what to do: deskmates -p 'what to do'")

  const about = { workspace, options, settings, chosen, format, cwd, prompt, team }
  const { exit, id, didNothing } = await runSession(call, about)
  // A run that failed before its first answer (a wrong key, no network) has nothing to go on with.
  if (team === undefined && didNothing) {
    await workspace.store.remove(id, true)
    await say(call, 'deskmates: Nothing was done, so no session is kept.')
  }
  return exit
}

interface SessionRun {
  readonly workspace: Workspace
  readonly options: RunOptions
  readonly settings: Settings
  readonly chosen: Chosen
  readonly format: Format
  readonly cwd: string
  readonly prompt: string | undefined
  /** Undefined: a new session. */
  readonly team: string | undefined
}

async function runSession(call: Call, about: SessionRun): Promise<{ exit: number; id: string; didNothing: boolean }> {
  const { workspace, options, settings, chosen, format, cwd, prompt, team } = about
  await using session = await openSession({
    workspace,
    team,
    here: options.here,
    signal: call.signal,
    title: prompt,
    model: chosen.model,
    modelFor: chosen.modelFor,
    permissions: settings.permissions,
    sandbox: settings.sandbox,
    hooks: settings.hooks,
    hooksFail: settings.hooksFail,
    spelling: settings.tools?.spelling,
    crew: crewOf(settings),
    limits: { turns: options.maxTurns, dollars: options.maxBudgetUsd },
    maxOutput: settings.maxOutputTokens,
    appendSystemPrompt: options.appendSystemPrompt,
    folders: options.addDir?.map((dir) => folder(resolve(cwd, dir))),
    cwd,
    env: withoutKeys(call.env, settings),
    secrets: keysIn(call.env, settings),
    clock: call.clock,
    warn: (message) => void warn(call, message),
  })
  if (chosen.notice !== undefined) await say(call, `deskmates: ${chosen.notice}`)
  const mode = settings.permissions?.mode ?? 'default'
  const talk: Talk = {
    session,
    prompt,
    format,
    mode,
    cwd,
    goOn: howToGoOn(session.id, options.model),
    isTold: options.verbose ?? (format === 'text' && call.isStderrTerminal === true),
    outcome: { didNothing: false },
  }
  const exit = await converse(call, talk)
  return { exit, id: session.id, ...talk.outcome }
}

interface Talk {
  readonly session: Session
  readonly prompt: string | undefined
  readonly format: Format
  readonly mode: string
  readonly cwd: string
  /** The command that goes on with it, up to the prompt. */
  readonly goOn: string
  /** Is what happens said on stderr too? */
  readonly isTold: boolean
  /** Said when it is over. */
  readonly outcome: { didNothing: boolean }
}

/** No model has answered, and no other process or person has written to its team or its board. */
function isUntouched({ team: { state } }: Session, { calls }: Tally): boolean {
  const mail = [...state.mailboxes.values()].flatMap((mailbox) => [...mailbox.values()])
  const isOwn = mail.every(({ message, external }) => !external && message.from === 'user') && mail.length <= 1
  return calls === 0 && state.tasks.size === 0 && roster(state).length <= 1 && isOwn && state.leads.get().length === 0
}

/** With the model where one was named: without it there may be none, or another one. */
function howToGoOn(session: string, model: string | undefined): string {
  const named =
    model === undefined ? '' : ` -m ${/[^\w./:@-]/.test(model) ? `'${model.replaceAll("'", "'\\''")}'` : model}`
  return `deskmates -r ${session}${named} -p`
}

async function converse(call: Call, talk: Talk): Promise<number> {
  const { session, goOn } = talk
  let isOver = false
  try {
    return await hold(call, talk, () => {
      isOver = true
    })
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error
    const where = `See: deskmates log --team ${session.id}`
    throw error.saying(
      isOver
        ? `The run came to its end; only its answer is missing. ${where}`
        : `The run was stopped. All of it is kept; go on with: ${goOn} 'go on'`,
    )
  }
}

async function hold(call: Call, about: Talk, onOver: () => void): Promise<number> {
  const { session, prompt, format, mode, cwd, goOn, isTold } = about
  const began = call.clock.now()
  const tally = createTally()
  const trouble = createTrouble()
  const emit = async (line: Line | undefined) => {
    if (line && format === 'stream-json') await printJson(call, line)
  }
  await emit({
    type: 'system',
    subtype: 'init',
    session_id: session.id,
    agent: 'lead',
    cwd,
    model: session.model,
    tools: [...session.tools],
    permissionMode: mode,
    sandbox: session.sandbox,
    version,
  })
  const [isCompact, focus] = /^\s*\/compact(?:\s+(.*\S))?\s*$/s.exec(prompt ?? '') ?? []
  const loop = isCompact === undefined ? session.run(prompt, call.signal) : session.compact(focus, call.signal)
  const stop = await follow(loop, async (event) => {
    tally.add(event)
    await emit(lineOf(event, session.id))
    const told = isTold ? talkOf(event) : undefined
    if (told !== undefined) await talk(call, `${told}\n`)
    // The stream has a line for it already.
    const said = isTold || format === 'stream-json' ? undefined : trouble(event)
    if (said !== undefined) await warn(call, said)
  })
  onOver()
  about.outcome.didNothing = stop.kind === 'error' && isUntouched(session, tally)
  const duration_ms = Math.round((call.clock.now() - began) * 1000)
  const result = tally.result(stop, { session_id: session.id, duration_ms, goOn, left: session.left })
  if (format === 'text') await printAsIs(call, stop.text === '' ? '' : `${stop.text.replace(/\n$/, '')}\n`)
  else await printJson(call, result)
  await sayEnd(call, stop, tally, about)
  return exitOf(stop, tally, session.left)
}

/** Hears a run to its end. Whatever keeps us from listening, such as a reader who is gone, ends the run too. */
async function follow(run: ReturnType<Session['run']>, hear: (event: SessionEvent) => Promise<void>): Promise<Stop> {
  try {
    let step = await run.next()
    for (; !step.done; step = await run.next()) await hear(step.value)
    return step.value
  } finally {
    await run.return(undefined as never)
  }
}

/** How it ended, where that is not simply well. A program reads it in the result. */
async function sayEnd(call: Call, stop: Stop, tally: Tally, { session, prompt, goOn }: Talk): Promise<void> {
  const { denials, calls, problems, failures } = tally
  if (stop.kind === 'finished' && prompt === undefined && calls === 0 && session.left.length === 0)
    await say(call, `There is nothing to go on with: all is settled. Ask for something: ${goOn} 'what to do'`)
  for (const error of [...errorsOf(stop, goOn), ...problems, ...failures]) await say(call, `deskmates: ${error}`)
  for (const { team, pending, in_progress, failed } of session.left) {
    const counts = Object.entries({ pending, 'in progress': in_progress, failed }).filter(([, count]) => count > 0)
    const words = counts.map(([state, count]) => `${count} ${state}`).join(', ')
    await say(call, `deskmates: Tasks are left: ${words}. See: deskmates task list --team ${team}`)
  }
  if (denials.length === 0) return
  const list = denials.map(({ tool_name, reason }) => `  ${tool_name}: ${reason}`)
  const count = denials.length === 1 ? 'One thing was' : `${denials.length} things were`
  await say(call, [`deskmates: ${count} denied:`, ...list].join('\n'))
}

function exitOf(stop: Stop, { denials, problems }: Tally, left: Session['left']): number {
  switch (stop.kind) {
    case 'finished':
      if (problems.length > 0) return EXIT.failed
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

/** Undefined: a new one. */
async function wantedSession(call: Call, options: RunOptions, workspace: Workspace): Promise<string | undefined> {
  const wishes = [options.continue && '-c', options.resume && '-r', call.globals.team && '--team'].filter(Boolean)
  if (options.resume === true)
    throw new Misused('-r needs a session: deskmates sessions lists them. The newest of this folder is: -c')
  if (wishes.length > 1) throw new Misused(`${wishes.join(' and ')} each name a session. Use one of them.`)
  if (options.continue) {
    const newest = await newestSession(workspace)
    if (newest !== undefined) return newest
    const message = "There is no session in this folder yet. Begin one: deskmates -p 'what to do'"
    throw new Refused({ refused: 'no_session', message })
  }
  if (options.resume === undefined && call.globals.team === undefined && !call.env.DESKMATES_TEAM) return undefined
  const wanted = wantedTeam(call, options.resume)
  const teams = await workspace.store.teams()
  const found = teams.find((team) => nameKey(team) === nameKey(wanted))
  if (found !== undefined) return sessionLeading(workspace, found)
  if (options.resume !== undefined) throw unknownTeam(wanted, named(teams), 'See: deskmates sessions')
  if (nameKey(wanted) !== DEFAULT) throw unknownTeam(wanted, teams)
  return DEFAULT
}

/** Sessions are many and their names say nothing; they are listed elsewhere. */
function named(teams: readonly string[]): string[] {
  return teams.filter((team) => !isSessionId(team))
}

/** A further team is gone on with by the session that leads it. */
async function sessionLeading({ store }: Workspace, name: string): Promise<string> {
  await using team = await openTeam(store, name)
  await team.refresh()
  return team.state.team.get()?.session ?? name
}

/** What the settings say about teammates; minutes there, seconds here. */
function crewOf({ team = {} }: Settings): Partial<SupervisorSettings> {
  const { stallMinutes, idleTimeoutMinutes, plans } = team
  return {
    ...(stallMinutes !== undefined && { stall: stallMinutes * 60 }),
    ...(idleTimeoutMinutes !== undefined && { idle: idleTimeoutMinutes * 60 }),
    ...(plans && { plans }),
  }
}

/** Any variable may hold a key if the settings say so; commands of agents do not get it. */
function withoutKeys(env: NodeJS.ProcessEnv, { providers = {} }: Settings): NodeJS.ProcessEnv {
  const keys = new Set(Object.values(providers).map(({ keyFrom }) => keyFrom))
  return Object.fromEntries(Object.entries(env).filter(([name]) => !keys.has(name)))
}

/** Their values, which no conversation and no message may hold. */
function keysIn(env: NodeJS.ProcessEnv, { providers = {} }: Settings): string[] {
  return Object.values(providers).flatMap(({ keyFrom }) => (keyFrom && env[keyFrom] ? [env[keyFrom]] : []))
}

function folder(path: string): string {
  if (existsSync(path) && statSync(path).isDirectory()) return path
  throw new Misused(`--add-dir: ${path} is not a folder. Name one that is there.`)
}
