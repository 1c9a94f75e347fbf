import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename } from 'node:path'
import { isTrusted } from '../../permissions/trust/folder-trust.ts'
import type { agentTypesOf } from '../../session/agent-types.ts'
import type { SessionControl } from '../../session/control/session-control.ts'
import { saveRules, userSettingsFile } from '../../settings/save-rules.ts'
import type { Settings } from '../../settings/settings.ts'
import type { RulesFile, TerminalExit } from '../../terminal/host.ts'
import { runTerminal } from '../../terminal/run-terminal.ts'
import type { StatusSource } from '../../terminal/status-line/status-line.ts'
import type { Workspace } from '../../workspace.ts'
import type { Call } from '../program/context.ts'
import { version } from '../program/version.ts'
import { modelOption } from '../run/model-option.ts'

export interface ScreenOptions {
  readonly workspace: Workspace
  readonly cwd: string
  /** US dollars; null without a limit. */
  readonly budget: number | null
  readonly firstPrompt?: string | undefined
  /** Lines, and nothing is drawn again. */
  readonly isScreenReader: boolean
  readonly settings: Settings
  /** As the person named it on the command line: who continues the session needs it again. */
  readonly model?: string | undefined
  /** Rules may be saved here: in the process of the session, or where it was started for that. */
  readonly savesRules: boolean
  readonly statusLine?: StatusSource | undefined
  readonly onPainted?: () => void
  /** Types of the command line. */
  readonly agentTypes?: Parameters<typeof agentTypesOf>[0]['given']
  /** Another process runs the session. */
  readonly isAttached: boolean
}

/** Shows a session on the terminal of this process until the person leaves it. */
export function openScreen(call: Call, control: SessionControl, options: ScreenOptions): Promise<TerminalExit> {
  const { workspace, cwd, budget, firstPrompt, isScreenReader, isAttached } = options
  const { settings, savesRules, statusLine, model } = options
  const { env, clock } = call
  const root = realpathSync(workspace.workspace)
  const named: Named = { skills: [], agentTypes: [] }
  return runTerminal({
    ...{ control, isScreenReader, clock, signal: call.signal, prompt: call.prompt },
    onPainted() {
      options.onPainted?.()
      void addNamed(named, { workspace, root, env, warn: () => {}, given: options.agentTypes }, cwd)
    },
    // Commands of the user, and of the project where the user trusts it.
    commandFolders: [env.HOME ?? homedir(), ...(isTrusted(workspace) ? [root] : [])],
    ...(firstPrompt !== undefined && { firstPrompt }),
    ...(statusLine && { statusLine }),
    notices: settings.notices ?? 'desktop',
    knowledge: {
      ...{ project: basename(root), root, version, cwd, env, budget },
      ...named,
      ...(savesRules && { savedRules: savedRulesOf(env) }),
      sessions: async () => {
        const { sessionChoices } = await import('./session-choices.ts')
        return (await sessionChoices(call, workspace)).filter(({ id }) => id !== control.session)
      },
      isAttached,
      resumeCommand: () => {
        if (control.session === '') return undefined
        return isAttached
          ? `deskmates attach ${control.session}`
          : `deskmates -r ${control.session}${modelOption(model)}`
      },
    },
  })
}

/** What the person may name. The prompt does not wait for it. */
interface Named {
  readonly skills: { readonly name: string; readonly description: string }[]
  readonly agentTypes: { readonly name: string; readonly description: string }[]
}

async function addNamed(
  { skills, agentTypes }: Named,
  place: Omit<Parameters<typeof agentTypesOf>[0], 'folders'>,
  cwd: string,
): Promise<void> {
  const [{ agentTypesOf }, { knowledgeOf }] = await Promise.all([
    import('../../session/agent-types.ts'),
    import('../../session/instructions/project-knowledge.ts'),
  ])
  skills.push(...knowledgeOf({ ...place, cwd }).skills)
  agentTypes.push(...agentTypesOf({ ...place, folders: [] }))
}

function savedRulesOf(env: NodeJS.ProcessEnv): RulesFile {
  const path = userSettingsFile(env)
  return { path, save: (rules) => saveRules(path, rules) }
}
