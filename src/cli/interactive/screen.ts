import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename } from 'node:path'
import { isTrusted } from '../../permissions/trust/folder-trust.ts'
import { agentTypesOf } from '../../session/agent-types.ts'
import type { SessionControl } from '../../session/control/session-control.ts'
import { knowledgeOf } from '../../session/instructions/project-knowledge.ts'
import { saveRules, userSettingsFile } from '../../settings/save-rules.ts'
import type { Settings } from '../../settings/settings.ts'
import type { RulesFile, TerminalExit } from '../../terminal/host.ts'
import { runTerminal } from '../../terminal/run-terminal.ts'
import type { StatusSource } from '../../terminal/status-line/status-line.ts'
import type { Workspace } from '../../workspace.ts'
import type { Call } from '../program/context.ts'
import { version } from '../program/version.ts'
import { readSessions } from '../sessions/read-sessions.ts'

export interface ScreenOptions {
  readonly workspace: Workspace
  readonly cwd: string
  /** US dollars; null without a limit. */
  readonly budget: number | null
  readonly firstPrompt?: string | undefined
  /** Lines, and nothing is drawn again. */
  readonly isScreenReader: boolean
  readonly settings: Settings
  /** Rules may be saved here: in the process of the session, or where it was started for that. */
  readonly savesRules: boolean
  readonly statusLine?: StatusSource | undefined
}

/** Shows a session on the terminal of this process until the person leaves it. */
export function openScreen(call: Call, control: SessionControl, options: ScreenOptions): Promise<TerminalExit> {
  const { workspace, cwd, budget, firstPrompt, isScreenReader, settings, savesRules, statusLine } = options
  const { env, clock } = call
  const root = realpathSync(workspace.workspace)
  const place = { workspace, root, env, warn: () => {} }
  return runTerminal({
    ...{ control, isScreenReader, clock, signal: call.signal },
    // Commands of the user, and of the project where the user trusts it.
    commandFolders: [env.HOME ?? homedir(), ...(isTrusted(workspace) ? [root] : [])],
    ...(firstPrompt !== undefined && { firstPrompt }),
    ...(statusLine && { statusLine }),
    notices: settings.notices ?? 'desktop',
    knowledge: {
      ...{ project: basename(root), root, version, cwd, env, budget },
      skills: knowledgeOf({ ...place, cwd }).skills,
      agentTypes: agentTypesOf({ ...place, folders: [] }),
      ...(savesRules && { savedRules: savedRulesOf(env) }),
      sessions: async () =>
        (await readSessions(call, workspace)).map(({ name: id, usedAt: at, title: firstPrompt, members, unread }) => ({
          ...{ id, at, firstPrompt, members, unread },
        })),
      resumeCommand: `deskmates -r ${control.session}`,
    },
  })
}

function savedRulesOf(env: NodeJS.ProcessEnv): RulesFile {
  const path = userSettingsFile(env)
  return { path, save: (rules) => saveRules(path, rules) }
}
