import { join } from 'node:path'
import { noUsage } from '../agent/agent.ts'
import { DEFAULT_SUPERVISOR_SETTINGS, type Run, type SessionContext } from '../agent/session-context.ts'
import type { RoleGates } from '../agent/task-commits.ts'
import type { VendorAgents } from '../agent/vendor-agents.ts'
import { systemClock } from '../journal/clock.ts'
import type { McpServers } from '../mcp/client/servers.ts'
import { type Model, ModelFailure } from '../models/model.ts'
import { createHooks } from '../permissions/hooks/hooks.ts'
import { createPermissions } from '../permissions/permissions.ts'
import type { SessionPolicy } from '../permissions/rules/session-policy.ts'
import { privateFolders, userFolder } from '../permissions/trust/private-folders.ts'
import { createEraser } from '../redaction/eraser.ts'
import { socketFolder } from '../stores/files/identity/control-entry.ts'
import { stateFolder } from '../stores/files/identity/trust.ts'
import { openMemoryStore } from '../stores/memory/store.ts'
import { createTaskCommits } from '../supervisor/commits/task-commits.ts'
import { createPermissionRequests } from '../supervisor/requests/permission-requests.ts'
import { createUncommittedCount } from '../supervisor/shutdown/uncommitted.ts'
import type { HandOffFiles } from '../team/plans/plan-views.ts'
import type { AgentType } from '../tools/subagents/agent-type.ts'
import type { Knowledge } from './instructions/project-knowledge.ts'
import type { ViewGuard } from './plan/view-guard.ts'
import type { SessionSandbox } from './sandbox.ts'
import type { SessionOptions } from './session-options.ts'

/** What `openSession` has opened before it composes the context. */
export interface OpenedParts {
  readonly id: string
  readonly root: string
  readonly folders: readonly string[]
  readonly policy: SessionPolicy
  readonly commandEnv: Readonly<Record<string, string>>
  readonly sandbox: SessionSandbox
  readonly knowledge: Knowledge
  readonly views: ViewGuard
  readonly handOffFiles: HandOffFiles
  readonly servers: McpServers | undefined
  readonly agentTypes: readonly AgentType[]
  readonly vendorAgents: VendorAgents | undefined
  /** Values that MCP servers get and nothing else may hold. */
  readonly serverSecrets: readonly string[]
}

/** Composes what all agents of a session share. */
export function createSessionContext(options: SessionOptions, parts: OpenedParts): SessionContext {
  const { workspace, clock = systemClock, env = process.env } = options
  const { root, folders, policy, commandEnv, sandbox, knowledge } = parts
  const ownFolders = privateFolders([userFolder(env), stateFolder(env), socketFolder(env)])
  const run: Run = {
    ...{ used: noUsage(), emit: () => {}, end: async () => {}, isFinished: () => false, onChange: () => {} },
  }
  const context: SessionContext = {
    store: workspace.store,
    clock,
    model: options.model,
    modelFor: options.modelFor ?? noOtherModel,
    root,
    folders,
    env: commandEnv,
    eraser: createEraser(env, [...(options.secrets ?? []), ...parts.serverSecrets]),
    sandbox: sandbox.sandbox,
    hooks: hooksOf(options, parts),
    openScratchLog: async () => (await openMemoryStore()).log('subagent/transcripts/agent'),
    outputsOf: (team) => join(workspace.root, '.teams', team, 'outputs'),
    permissionsFor: (own) => createPermissions({ ...own, policy, sandbox, privateFolders: ownFolders }),
    permissionRequests: createPermissionRequests(options.ask, clock),
    askPlan: options.askPlan,
    agentTypes: [...(options.roles?.oneShots ?? []), ...parts.agentTypes],
    vendorAgents: parts.vendorAgents,
    routing: options.routing,
    roles: options.roles,
    tools: options.tools ?? [],
    toolSource: parts.servers,
    skills: knowledge.skills,
    instructions: knowledge.instructions,
    spelling: options.spelling ?? 'team',
    limits: options.limits ?? {},
    limitsAllRuns: options.limitsAllRuns ?? false,
    checkAnswer: options.checkAnswer,
    maxOutput: options.maxOutput,
    appendSystemPrompt: [knowledge.instructions, knowledge.skillList, options.appendSystemPrompt]
      .filter(Boolean)
      .join('\n\n'),
    scaling: options.scaling ?? [],
    keepsMembers: options.keepsMembers ?? false,
    watchViews: (agent) => parts.views.watch(agent),
    handOffFiles: parts.handOffFiles,
    supervisor: { ...DEFAULT_SUPERVISOR_SETTINGS, ...options.supervisor },
    gatesOf: options.gatesOf ?? (() => NO_GATES),
    uncommitted: createUncommittedCount({ root, folders, env: commandEnv, sandbox: sandbox.sandbox }, (text) =>
      context.run.emit({ type: 'note', agent: 'lead', text }),
    ),
    commits: createTaskCommits({
      ...{ root, folders, env: commandEnv, sandbox: sandbox.sandbox, clock, run },
      isOn: options.autoCommit ?? false,
    }),
    run,
  }
  return context
}

const NO_GATES: RoleGates = { idle: false, completion: false }

function hooksOf({ hooks, hooksFail }: SessionOptions, { id, root, folders, commandEnv, sandbox }: OpenedParts) {
  if (!hooks) return undefined
  return createHooks({
    settings: hooks,
    fail: hooksFail,
    session: id,
    cwd: root,
    writable: [root, ...folders],
    env: { ...commandEnv, DESKMATES_PROJECT_DIR: root, CLAUDE_PROJECT_DIR: root },
    sandbox: sandbox.sandbox,
    requiresSandbox: sandbox.mode === 'require',
  })
}

async function noOtherModel(name: string): Promise<Model> {
  const text = `There is no model ${name} in this session. Leave the model out to use the session's own.`
  throw new ModelFailure({ model: name, fault: 'request' }, text)
}
