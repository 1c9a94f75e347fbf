import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename } from 'node:path'
import { isTrusted } from '../../permissions/trust/folder-trust.ts'
import { agentTypesOf } from '../../session/agent-types.ts'
import type { SessionControl } from '../../session/control/session-control.ts'
import { knowledgeOf } from '../../session/instructions/project-knowledge.ts'
import type { TerminalExit } from '../../terminal/host.ts'
import { runTerminal } from '../../terminal/run-terminal.ts'
import type { Workspace } from '../../workspace.ts'
import type { Call } from '../program/context.ts'
import { readSessions } from '../sessions/read-sessions.ts'

export interface ScreenOptions {
  readonly workspace: Workspace
  readonly cwd: string
  /** US dollars; null without a limit. */
  readonly budget: number | null
  readonly firstPrompt?: string | undefined
  /** Lines, and nothing is drawn again. */
  readonly isScreenReader: boolean
}

/** Shows a session on the terminal of this process until the person leaves it. */
export function openScreen(call: Call, control: SessionControl, options: ScreenOptions): Promise<TerminalExit> {
  const { workspace, cwd, budget, firstPrompt, isScreenReader } = options
  const { env, clock } = call
  const root = realpathSync(workspace.workspace)
  const place = { workspace, root, env, warn: () => {} }
  return runTerminal({
    ...{ control, isScreenReader, clock, signal: call.signal },
    // Commands of the user, and of the project where the user trusts it.
    commandFolders: [env.HOME ?? homedir(), ...(isTrusted(workspace) ? [root] : [])],
    ...(firstPrompt !== undefined && { firstPrompt }),
    knowledge: {
      ...{ project: basename(root), cwd, env, budget },
      skills: knowledgeOf({ ...place, cwd }).skills,
      agentTypes: agentTypesOf({ ...place, folders: [] }),
      sessions: async () =>
        (await readSessions(call, workspace)).map(({ name: id, usedAt: at, title: firstPrompt, members, unread }) => ({
          ...{ id, at, firstPrompt, members, unread },
        })),
      resumeCommand: `deskmates -r ${control.session}`,
    },
  })
}
