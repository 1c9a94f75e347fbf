import { realpathSync } from 'node:fs'
import type { OpenControl } from '../../session/control/open-control.ts'
import type { EditorServer } from '../../session/mcp/configured-servers.ts'
import type { LoadedSettings } from '../../settings/load-settings.ts'
import type { AgentType } from '../../tools/subagents/agent-type.ts'
import type { Workspace } from '../../workspace.ts'
import type { Call } from '../program/context.ts'
import { version } from '../program/version.ts'
import type { WantedSession } from '../run/choose-session.ts'
import type { RunOptions } from '../run/options.ts'

/** What a session is opened with that a person works with, in a terminal or an editor. */
export interface PersonSession {
  readonly call: Call
  readonly options: RunOptions
  readonly loaded: LoadedSettings
  readonly workspace: Workspace
  readonly wanted: WantedSession
  readonly agentTypes?: readonly AgentType[] | undefined
  readonly title?: string | undefined
  readonly cwd: string
  readonly folders: readonly string[] | undefined
  /** MCP servers that an editor passed in. */
  readonly editorServers?: readonly EditorServer[]
  /** The front end draws what the program of the status line prints. */
  readonly hasStatusLine?: boolean
}

/** Loads everything that runs agents: a terminal paints its prompt without it. */
export async function openPersonSession(person: PersonSession, warn: (text: string) => void): Promise<OpenControl> {
  const { call, options, loaded, workspace, wanted, agentTypes, title = '', cwd, folders } = person
  const { hasStatusLine = false } = person
  const { settings } = loaded
  const [{ chooseModel }, { openControl }, { settingsOptions }, { configuredServers }] = await Promise.all([
    import('../../session/choose-model.ts'),
    import('../../session/control/open-control.ts'),
    import('../../session/session-options.ts'),
    import('../../session/mcp/configured-servers.ts'),
  ])
  const { servers, problems } = configuredServers({
    ...{ workspace, settings: loaded, cwd, env: call.env },
    ...{ config: options.mcpConfig, isStrict: options.strictMcpConfig, editor: person.editorServers },
  })
  for (const problem of problems) warn(problem)
  const { model, modelFor } = await chooseModel({
    ...{ settings, env: call.env, root: realpathSync(workspace.workspace), cwd, warn },
    maxBudgetUsd: options.maxBudgetUsd,
    record: options.record,
  })
  return openControl({
    ...settingsOptions(settings, call.env, loaded.origins),
    ...{ workspace, ...wanted, here: options.here, signal: call.signal, title, model, modelFor, cwd, agentTypes },
    limits: { turns: options.maxTurns, dollars: options.maxBudgetUsd },
    appendSystemPrompt: options.appendSystemPrompt,
    ...{ folders, warn, version, clock: call.clock },
    socket: { access: options.control ?? 'watch' },
    runsPrograms: hasStatusLine && settings.statusLine !== undefined,
    mcpServers: servers,
    origins: loaded.origins,
  })
}

/** A new session that was opened and left, and in which nothing was asked, is removed. Resolves to whether it is there. */
export async function closePersonSession(control: OpenControl, workspace: Workspace, isNew: boolean): Promise<boolean> {
  const isEmpty = isNew && (await isEmptySession(control))
  await control[Symbol.asyncDispose]()
  if (isEmpty) await workspace.store.remove(control.session, true)
  return !isEmpty
}

async function isEmptySession({ opened }: OpenControl): Promise<boolean> {
  const { isUntouched } = await import('../../session/run-prompt.ts')
  const spent = [...opened.team.state.spent.values()]
  return isUntouched(opened) && spent.every(({ calls }) => calls === 0)
}
