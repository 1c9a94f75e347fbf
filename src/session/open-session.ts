import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, systemClock } from '../ports/clock.ts'
import { type Model, ModelFailure } from '../ports/model.ts'
import type { Tool } from '../ports/tool.ts'
import type { Stop } from '../runtime/converse/agent-event.ts'
import type { Limits } from '../runtime/converse/conversation.ts'
import { openTeam } from '../runtime/team.ts'
import { TeamError } from '../team/errors.ts'
import type { HookSettings, HooksFail } from '../tools/hooks/hook-settings.ts'
import { createHooks } from '../tools/hooks/hooks.ts'
import type { Workspace } from '../workspace.ts'
import { agentTypesOf } from './agent-types.ts'
import { commandEnv } from './command-env.ts'
import { knowledgeOf } from './knowledge.ts'
import { type Desk, openLeadDesk } from './lead-desk.ts'
import { createPermits, forErrand, type Permissions, policyOf } from './permits.ts'
import { openSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts'
import type { Session, SessionEvent } from './session.ts'
import { newSessionId } from './session-id.ts'
import { takeLead } from './take-lead.ts'
import { compact, work } from './work.ts'

export interface SessionOptions {
  readonly workspace: Workspace
  readonly model: Model
  /** Other models agents may be given, by name. Without it there are none. */
  readonly modelFor?: (name: string) => Promise<Model>
  /** Goes on with this team, or makes it; without it a new one is named by its session id. */
  readonly team?: string
  /** What agents may do. Without it they may only look. */
  readonly permissions?: Permissions
  /** What keeps commands in. By default it does where it works; see `warn` and `Session.sandbox`. */
  readonly sandbox?: SandboxOptions
  /** Programs of the user that are asked before and told after; in the shape of the settings. */
  readonly hooks?: HookSettings
  /** What a hook means that fails. By default closed before a tool runs, and open elsewhere. */
  readonly hooksFail?: HooksFail
  /** Tools of your own, besides ours. */
  readonly tools?: readonly Tool[]
  /** Of each run. */
  readonly limits?: Limits
  readonly maxOutput?: number
  /** Stands at the end of the lead's instructions. */
  readonly appendSystemPrompt?: string
  /** Where in the workspace the user is: instructions nearest to it come first. By default the workspace's folder. */
  readonly cwd?: string
  /** Further folders in which agents may read and write. */
  readonly folders?: readonly string[]
  /** Of the commands agents run; keys of models are left out. By default this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly clock?: Clock
  /** What is wrong without being a reason to stop. */
  readonly warn?: (message: string) => void
}

/** Sits down at a team as its lead: what a dead process left is taken up, and nobody else works on it meanwhile. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { workspace, clock = systemClock } = options
  const { store } = workspace
  const root = realpathSync(workspace.workspace)
  const id = options.team ?? newSessionId(clock)
  const place = `${store.presence.self} ${workspace.journalOf(id)}`
  if (taken.has(place)) throw new SessionOpen(id)
  taken.add(place)
  const env = options.env ?? process.env
  const warn = options.warn ?? (() => {})
  const policy = policyOf(options.permissions ?? {}, root)
  const folders = (options.folders ?? []).map((folder) => realpathSync(folder))
  const team = await openTeam(store, id, { clock })
  let desk: Desk
  let sandbox: Sandbox | undefined
  try {
    const by = await takeLead(team, store)
    await store.presence.announce(id)
    const given = { workspace, root, folders, commandEnv: commandEnv(env), processEnv: env, policy, warn }
    const opened = await openSandbox({ ...options.sandbox, ...given })
    sandbox = opened
    const knowledge = knowledgeOf({ workspace, root, cwd: realpathSync(options.cwd ?? root), env, warn })
    desk = await openLeadDesk({
      team,
      by,
      log: await store.log(`${id}/transcripts/lead`),
      model: options.model,
      root,
      folders,
      env: commandEnv(env),
      boundary: opened.boundary,
      hooks: hooksOf(options, id, root, commandEnv(env)),
      outputs: join(workspace.root, '.teams', id, 'outputs'),
      permits: (isReadOnly, isSentOut) =>
        createPermits({ policy: isSentOut ? forErrand(policy, isReadOnly) : policy, sandbox: opened }, isSentOut),
      modelFor: options.modelFor ?? noOther,
      agentTypes: agentTypesOf(workspace, warn),
      tools: [...knowledge.tools, ...(options.tools ?? [])],
      limits: options.limits ?? {},
      maxOutput: options.maxOutput,
      appendSystemPrompt: [knowledge.prompt, options.appendSystemPrompt].filter(Boolean).join('\n\n') || undefined,
    })
  } catch (error) {
    taken.delete(place)
    sandbox?.[Symbol.dispose]()
    await team.close()
    throw error
  }

  let isRunning = false
  return {
    id,
    team,
    model: options.model.name,
    tools: desk.talk.agent.tools.map(({ name }) => name),
    sandbox: sandbox.state,
    run: (prompt, signal = new AbortController().signal) => alone(() => work(desk, prompt, signal)),
    compact: (focus, signal = new AbortController().signal) => alone(() => compact(desk, focus, signal)),
    close,
    [Symbol.asyncDispose]: close,
  }

  async function* alone(begin: () => AsyncGenerator<SessionEvent, Stop>): AsyncGenerator<SessionEvent, Stop> {
    if (isRunning) throw new SessionOpen(id)
    isRunning = true
    try {
      return yield* begin()
    } finally {
      isRunning = false
    }
  }

  async function close(): Promise<void> {
    if (!taken.has(place)) return
    try {
      await desk[Symbol.asyncDispose]()
      await store.presence.withdraw(id)
    } finally {
      taken.delete(place)
      sandbox?.[Symbol.dispose]()
      await team.close()
    }
  }
}

function hooksOf({ hooks, hooksFail }: SessionOptions, session: string, root: string, env: Record<string, string>) {
  if (!hooks) return undefined
  const named = { ...env, DESKMATES_PROJECT_DIR: root, CLAUDE_PROJECT_DIR: root }
  return createHooks({ settings: hooks, fail: hooksFail, session, cwd: root, env: named })
}

async function noOther(name: string): Promise<Model> {
  const text = `There is no model ${name} in this session. Leave the model out to use the session's own.`
  throw new ModelFailure({ model: name, fault: 'request' }, text)
}

/** To other processes this one is a single runtime; inside of it somebody has to look. */
const taken = new Set<string>()

export class SessionOpen extends TeamError {
  readonly code = 'session_open'
  constructor(id: string) {
    super(`This process works on ${id} already. Wait for that run to end and close its session first.`)
  }
}
