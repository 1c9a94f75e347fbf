import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Compose } from '../../src/models/scripted/script.ts'
import { openSession } from '../../src/session/open-session.ts'
import type { SessionOptions } from '../../src/session/session-options.ts'
import { composedModel } from '../../src/testing/harnesses/composed-model.ts'
import { runToEnd } from '../../src/testing/harnesses/session-harness.ts'
import type { AcpEntry } from '../../src/tools/subagents/acp-entry.ts'
import type { AgentType } from '../../src/tools/subagents/agent-type.ts'
import { openWorkspace } from '../../src/workspace.ts'

export const SCRIPTED_AGENT = fileURLToPath(new URL('./scripted-agent.mjs', import.meta.url))

/** Steps of the scripted agent: lives of its program, prompts in each, steps in each of those. */
export type Steps = readonly (readonly (readonly object[])[] | 'hang' | 'sign in')[]

export interface Logged {
  readonly event: string
  readonly [key: string]: unknown
}

/** Folders of a harness: the workspace, the home of the user, and the one around both. */
export interface Places {
  readonly dir: string
  readonly root: string
  readonly home: string
}

export interface VendorOptions {
  readonly steps?: Steps | ((places: Places) => Steps)
  /** What the lead does with each request; by default it spawns `vera` on one task. */
  readonly lead?: Compose
  readonly env?: Readonly<Record<string, string>>
  readonly acp?: Partial<Exclude<AcpEntry, string>>
  readonly isSandboxed?: boolean
  /** All that a file of the project describes is trusted and approved. */
  readonly trustsAll?: boolean
  readonly type?: Partial<AgentType>
  readonly session?: Partial<SessionOptions>
}

export const call = (tool: string, input: Record<string, unknown> = {}) => ({ tool, input })

/** A lead that puts a task on the board, gives it to vera, and ends its turns. */
export const spawnsVera: Compose = ({ turns }) =>
  turns.length === 1
    ? {
        calls: [
          call('TaskCreate', { subject: 'dig', description: 'a hole' }),
          call('Task', { name: 'vera', agent_type: 'vendor', prompt: 'Welcome, vera.', task_id: '1' }),
        ],
      }
    : { text: 'Good.' }

/** A folder with a repository, a log of the scripted agent, and sessions in it that can follow each other. */
export async function vendorHarness(options: VendorOptions = {}) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-vendor-')))
  const root = join(dir, 'work')
  mkdirSync(root)
  execFileSync('git', ['init', '-q', root], { env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' } })
  // In a sandbox it writes nowhere else.
  const log = join(options.isSandboxed ? root : dir, 'agent.jsonl')
  const environment = {
    ...{ PATH: process.env.PATH, HOME: join(dir, 'home'), DESKMATES_STATE: join(dir, 'state') },
    ...(options.trustsAll && { DESKMATES_TRUST: '1' }),
  }
  mkdirSync(environment.HOME)
  const steps =
    typeof options.steps === 'function' ? options.steps({ dir, root, home: environment.HOME }) : options.steps
  const session = 'team'
  const transcript = join(root, '.teams', session, 'transcripts', 'vera.jsonl')
  const type: AgentType = {
    ...{
      name: 'vendor',
      description: 'another vendor',
      prompt: 'You dig.',
      tools: [],
      isReadOnly: false,
      model: undefined,
    },
    acp: {
      command: process.execPath,
      args: [SCRIPTED_AGENT],
      env: {
        ACP_LOG: log,
        ACP_WATCH: transcript,
        ...(steps && { ACP_STEPS: JSON.stringify(steps) }),
        ...options.env,
      },
      ...options.acp,
    },
    ...options.type,
  }
  const { model, requests } = composedModel(options.lead ?? spawnsVera)
  const workspace = await openWorkspace({ cwd: root, env: environment })
  const open = (more: Partial<SessionOptions> = {}) =>
    openSession({
      ...{ workspace, model, team: session, env: environment, agentTypes: [type] },
      permissions: { mode: 'bypassPermissions' },
      sandbox: { mode: options.isSandboxed ? 'require' : 'off' },
      ...options.session,
      ...more,
    })
  return {
    ...{ dir, root, requests, environment, home: environment.HOME, workspace, open, transcript },
    /** What the scripted agent got, of this kind. */
    logged: (event: string): Logged[] =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line) as Logged)
            .filter((one) => one.event === event)
        : [],
    /** Records of vera's transcript. */
    records: () =>
      readFileSync(transcript, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    async run(prompt = 'Dig a hole.', more: Partial<SessionOptions> = {}, signal = AbortSignal.timeout(60_000)) {
      await using opened = await open(more)
      const { stop, events } = await runToEnd(opened, prompt, signal)
      return { stop, events, tasks: [...opened.team.state.tasks.values()], state: opened.team.state }
    },
    [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
  }
}
