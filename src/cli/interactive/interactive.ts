import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { chooseModel } from '../../session/choose-model.ts'
import { type OpenControl, openControl } from '../../session/control/open-control.ts'
import { isUntouched } from '../../session/run-prompt.ts'
import { settingsOptions } from '../../session/session-options.ts'
import type { Settings } from '../../settings/settings.ts'
import type { TerminalExit } from '../../terminal/host.ts'
import type { StatusSource } from '../../terminal/status-line/status-line.ts'
import type { Workspace } from '../../workspace.ts'
import { warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { version } from '../program/version.ts'
import { chooseSession } from '../run/choose-session.ts'
import { existingFolder, type RunOptions, settingsOf } from '../run/options.ts'
import { openStore } from '../workspace/open-store.ts'
import { readSettings } from '../workspace/read-settings.ts'
import { askTrust } from './ask-trust.ts'
import { modelWithoutKey } from './first-run.ts'
import { pickSession } from './pick-session.ts'
import { openScreen } from './screen.ts'

/** `deskmates` on a terminal: the conversation with the lead and its team, until the person leaves. */
export async function interactive(call: Call, options: RunOptions, prompt: string | undefined): Promise<number> {
  await using workspace = await openStore(call)
  await askTrust(call, workspace)
  const model = options.model ?? (await modelWithoutKey(call, workspace))
  if (model === 'left') return 0
  let team =
    options.resume === true ? await pickSession(call, workspace) : await chooseSession(call, options, workspace)
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

/** One session, from its opening until the person leaves it or changes to another one. */
async function converse(
  call: Call,
  options: RunOptions,
  workspace: Workspace,
  team: string | undefined,
  firstPrompt: string | undefined,
): Promise<TerminalExit> {
  const { settings } = await readSettings(call, workspace, settingsOf(options))
  const cwd = resolve(call.cwd, call.globals.cwd ?? '.')
  const warning = (message: string) => void warn(call, message)
  const root = realpathSync(workspace.workspace)
  const { model, modelFor } = await chooseModel({
    ...{ settings, env: call.env, root, cwd, warn: warning },
    maxBudgetUsd: options.maxBudgetUsd,
    record: options.record,
  })
  const { exit, id, isEmpty } = await (async () => {
    await using control = await openControl({
      ...settingsOptions(settings, call.env),
      ...{ workspace, team, here: options.here, signal: call.signal, title: firstPrompt ?? '', model, modelFor, cwd },
      limits: { turns: options.maxTurns, dollars: options.maxBudgetUsd },
      appendSystemPrompt: options.appendSystemPrompt,
      folders: options.addDir?.map((dir) => existingFolder(resolve(cwd, dir))),
      clock: call.clock,
      warn: warning,
      version,
      socket: { access: options.control ?? 'watch' },
      runsPrograms: settings.statusLine !== undefined,
    })
    const exit = await openScreen(call, control, {
      ...{ workspace, cwd, firstPrompt, budget: options.maxBudgetUsd ?? null, settings, savesRules: true },
      isScreenReader: options.screenReader === true,
      statusLine: statusLineOf(control, settings),
    })
    return { exit, id: control.session, isEmpty: team === undefined && isEmptySession(control) }
  })()
  if (isEmpty) await workspace.store.remove(id, true)
  return exit
}

/** An empty command means none: on the command line it takes back what the settings say. */
function statusLineOf(control: OpenControl, { statusLine }: Settings): StatusSource | undefined {
  if (!statusLine || statusLine.command.trim() === '') return undefined
  return {
    padding: statusLine.padding ?? 0,
    contextWindow: control.contextWindow,
    run: (input, signal) => control.runStatusProgram(statusLine, input, signal),
  }
}

/** It was opened and left, and nothing was asked. */
function isEmptySession({ opened }: OpenControl): boolean {
  const spent = [...opened.team.state.spent.values()]
  return isUntouched(opened) && spent.every(({ calls }) => calls === 0)
}
