import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { laterControl } from '../../session/control/later-control.ts'
import type { OpenControl } from '../../session/control/open-control.ts'
import type { Settings } from '../../settings/settings.ts'
import type { TerminalExit } from '../../terminal/host.ts'
import type { StatusSource } from '../../terminal/status-line/status-line.ts'
import type { Workspace } from '../../workspace.ts'
import { warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { explain } from '../program/failure.ts'
import type { WantedSession } from '../run/choose-session.ts'
import { existingFolder, type RunOptions, settingsOf } from '../run/options.ts'
import { openStore } from '../workspace/open-store.ts'
import { readSettings } from '../workspace/read-settings.ts'
import { askTrust } from './ask-trust.ts'
import { closePersonSession, openPersonSession } from './person-session.ts'
import { openScreen } from './screen.ts'

/** `deskmates` on a terminal: the conversation with the lead and its team, until the person leaves. */
export async function interactive(call: Call, options: RunOptions, prompt: string | undefined): Promise<number> {
  await using workspace = await openStore(call)
  await askTrust(call, workspace)
  if (bringsServers(workspace)) await (await import('./ask-servers.ts')).askServers(call, workspace, options)
  const model =
    options.model ?? (await (await import('./first-run.ts')).modelWithoutKey(call, workspace, options.settings))
  if (model === 'left') return 0
  let wanted = await sessionFor(call, options, workspace)
  if (wanted === undefined) return 0
  const given = { ...options, ...(model !== undefined && { model }) }
  let before: string | undefined
  for (let firstPrompt = prompt; ; firstPrompt = undefined) {
    try {
      const { exit, kept } = await converse(call, given, workspace, wanted, firstPrompt)
      if (exit.next === 'quit') return 0
      before = kept
      wanted = exit.next === 'resume' ? resumed(exit.session) : NEW
    } catch (error) {
      // Where the chosen session cannot be opened, the person has the one before.
      if (before === undefined) throw error
      await warn(call, explain(error, call.env).message)
      wanted = resumed(before)
      before = undefined
    }
  }
}

const NEW: WantedSession = { team: undefined, isNew: true }

function resumed(team: string): WantedSession {
  return { team, isNew: false }
}

/** The session to open; undefined where the person chose none. What finds it is loaded only where one may be meant. */
async function sessionFor(call: Call, options: RunOptions, workspace: Workspace): Promise<WantedSession | undefined> {
  if (options.resume === true && !options.sessionId) {
    const picked = await (await import('./pick-session.ts')).pickSession(call, workspace, options.screenReader === true)
    if (picked === undefined) return undefined
    return options.forkSession ? { ...NEW, forkOf: picked } : resumed(picked)
  }
  const { continue: newest, resume, sessionId, forkSession } = options
  if (!newest && !resume && !sessionId && !forkSession && !call.globals.team && !call.env.DESKMATES_TEAM) return NEW
  return (await import('../run/choose-session.ts')).wantedSession(call, options, workspace)
}

interface Conversed {
  readonly exit: TerminalExit
  /** The session; it is gone if nothing was asked in it. */
  kept?: string | undefined
}

/** One session, from its opening until the person leaves it or changes to another one. It opens behind the painted prompt. */
async function converse(
  call: Call,
  options: RunOptions,
  workspace: Workspace,
  wanted: WantedSession,
  firstPrompt: string | undefined,
): Promise<Conversed> {
  const loaded = await readSettings(call, workspace, settingsOf(options), options.settings)
  const warning = (message: string) => void warn(call, message)
  const agentTypes =
    options.agents === undefined
      ? undefined
      : (await import('../run/agents-option.ts')).agentsOption(options.agents, warning)
  const { settings } = loaded
  const cwd = resolve(call.cwd, call.globals.cwd ?? '.')
  const folders = options.addDir?.map((dir) => existingFolder(resolve(cwd, dir)))
  let onPainted = () => {}
  const opening = new Promise<void>((painted) => {
    onPainted = painted
  }).then(() =>
    openPersonSession(
      {
        ...{ call, options, loaded, workspace, wanted, agentTypes, title: firstPrompt, cwd, folders },
        hasStatusLine: true,
      },
      (text) => later.note(text),
    ),
  )
  const later = laterControl(opening, call.clock)
  let conversed: Conversed | undefined
  try {
    const exit = await openScreen(call, later, {
      ...{ workspace, cwd, firstPrompt, budget: options.maxBudgetUsd ?? null, settings },
      ...{ savesRules: true, isAttached: false, model: options.model, agentTypes },
      isScreenReader: options.screenReader === true,
      statusLine: statusLineOf(opening, settings),
      onPainted,
    })
    conversed = { exit }
    return conversed
  } finally {
    onPainted()
    const control = await opening.catch(() => undefined)
    const isKept = control !== undefined && (await closePersonSession(control, workspace, wanted.isNew))
    if (isKept && conversed) conversed.kept = control.session
  }
}

/** Whether the project may bring MCP servers along, about which a person is asked. */
function bringsServers({ workspace }: Workspace): boolean {
  return ['.mcp.json', '.deskmates'].some((name) => existsSync(join(workspace, name)))
}

/** An empty command means none: on the command line it takes back what the settings say. */
function statusLineOf(opening: Promise<OpenControl>, { statusLine }: Settings): StatusSource | undefined {
  if (!statusLine || statusLine.command.trim() === '') return undefined
  let opened: OpenControl | undefined
  opening.then(
    (control) => {
      opened = control
    },
    () => {},
  )
  return {
    padding: statusLine.padding ?? 0,
    contextWindow: () => opened?.contextWindow(),
    async run(input, signal) {
      const control = await opening.catch(() => undefined)
      return control ? control.runStatusProgram(statusLine, input, signal) : { failed: 'the session was not opened' }
    },
  }
}
