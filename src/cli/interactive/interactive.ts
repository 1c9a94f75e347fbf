import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { laterControl } from '../../session/control/later-control.ts'
import type { OpenControl } from '../../session/control/open-control.ts'
import type { Settings } from '../../settings/settings.ts'
import type { TerminalExit } from '../../terminal/host.ts'
import type { StatusSource } from '../../terminal/status-line/status-line.ts'
import type { Workspace } from '../../workspace.ts'
import type { Call } from '../program/context.ts'
import { version } from '../program/version.ts'
import { existingFolder, type RunOptions, settingsOf } from '../run/options.ts'
import { openStore } from '../workspace/open-store.ts'
import { readSettings } from '../workspace/read-settings.ts'
import { askTrust } from './ask-trust.ts'
import { openScreen } from './screen.ts'

/** `deskmates` on a terminal: the conversation with the lead and its team, until the person leaves. */
export async function interactive(call: Call, options: RunOptions, prompt: string | undefined): Promise<number> {
  await using workspace = await openStore(call)
  await askTrust(call, workspace)
  const model = options.model ?? (await (await import('./first-run.ts')).modelWithoutKey(call, workspace))
  if (model === 'left') return 0
  let team = await sessionFor(call, options, workspace)
  if (options.resume === true && team === undefined) return 0
  for (let firstPrompt = prompt; ; firstPrompt = undefined) {
    const exit = await converse(
      call,
      { ...options, ...(model !== undefined && { model }) },
      workspace,
      team,
      firstPrompt,
    )
    if (exit.next === 'quit') return 0
    team = exit.next === 'resume' ? exit.session : undefined
  }
}

/** The session that is continued; undefined for a new one. What finds it is loaded only where one may be meant. */
async function sessionFor(call: Call, options: RunOptions, workspace: Workspace): Promise<string | undefined> {
  if (options.resume === true) return (await import('./pick-session.ts')).pickSession(call, workspace)
  if (!options.continue && !options.resume && !call.globals.team && !call.env.DESKMATES_TEAM) return undefined
  return (await import('../run/choose-session.ts')).chooseSession(call, options, workspace)
}

/** One session, from its opening until the person leaves it or changes to another one. It opens behind the painted prompt. */
async function converse(
  call: Call,
  options: RunOptions,
  workspace: Workspace,
  team: string | undefined,
  firstPrompt: string | undefined,
): Promise<TerminalExit> {
  const { settings } = await readSettings(call, workspace, settingsOf(options))
  const cwd = resolve(call.cwd, call.globals.cwd ?? '.')
  const folders = options.addDir?.map((dir) => existingFolder(resolve(cwd, dir)))
  let onPainted = () => {}
  const opening = new Promise<void>((painted) => {
    onPainted = painted
  }).then(() =>
    open({ call, options, settings, workspace, team, firstPrompt, cwd, folders }, (text) => later.note(text)),
  )
  const later = laterControl(opening, call.clock)
  try {
    return await openScreen(call, later, {
      ...{
        workspace,
        cwd,
        firstPrompt,
        budget: options.maxBudgetUsd ?? null,
        settings,
        savesRules: true,
        model: options.model,
      },
      isScreenReader: options.screenReader === true,
      statusLine: statusLineOf(opening, settings),
      onPainted,
    })
  } finally {
    onPainted()
    const control = await opening.catch(() => undefined)
    const isEmpty = control !== undefined && team === undefined && (await isEmptySession(control))
    await control?.[Symbol.asyncDispose]()
    if (isEmpty) await workspace.store.remove(control.session, true)
  }
}

interface Opening {
  readonly call: Call
  readonly options: RunOptions
  readonly settings: Settings
  readonly workspace: Workspace
  readonly team: string | undefined
  readonly firstPrompt: string | undefined
  readonly cwd: string
  readonly folders: readonly string[] | undefined
}

/** Loads everything that runs agents: the prompt is painted without it. */
async function open(
  { call, options, settings, workspace, team, firstPrompt, cwd, folders }: Opening,
  warn: (text: string) => void,
): Promise<OpenControl> {
  const [{ chooseModel }, { openControl }, { settingsOptions }] = await Promise.all([
    import('../../session/choose-model.ts'),
    import('../../session/control/open-control.ts'),
    import('../../session/session-options.ts'),
  ])
  const { model, modelFor } = await chooseModel({
    ...{ settings, env: call.env, root: realpathSync(workspace.workspace), cwd, warn },
    maxBudgetUsd: options.maxBudgetUsd,
    record: options.record,
  })
  return openControl({
    ...settingsOptions(settings, call.env),
    ...{ workspace, team, here: options.here, signal: call.signal, title: firstPrompt ?? '', model, modelFor, cwd },
    limits: { turns: options.maxTurns, dollars: options.maxBudgetUsd },
    appendSystemPrompt: options.appendSystemPrompt,
    ...{ folders, warn, version, clock: call.clock },
    socket: { access: options.control ?? 'watch' },
    runsPrograms: settings.statusLine !== undefined,
  })
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

/** It was opened and left, and nothing was asked. */
async function isEmptySession({ opened }: OpenControl): Promise<boolean> {
  const { isUntouched } = await import('../../session/run-prompt.ts')
  const spent = [...opened.team.state.spent.values()]
  return isUntouched(opened) && spent.every(({ calls }) => calls === 0)
}
