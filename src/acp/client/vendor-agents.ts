import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent, OpenAgent } from '../../agent/agent.ts'
import { VendorAgentRefused, type VendorAgents, type VendorSpawn, type VendorType } from '../../agent/vendor-agents.ts'
import type { AlarmClock } from '../../journal/clock.ts'
import { expandEntry } from '../../mcp/client/expand.ts'
import { programFile, writableProgram } from '../../mcp/client/program-files.ts'
import type { ServerGrants, StdioEntry } from '../../mcp/client/server-entry.ts'
import { grantedFolders, type ServerPlace, startServer } from '../../mcp/client/start-server.ts'
import { type Model, ModelFailure } from '../../models/model.ts'
import { isInside } from '../../permissions/paths/places.ts'
import { realPath } from '../../permissions/paths/safe-reads.ts'
import { isSecretName } from '../../redaction/secret-name.ts'
import { bridgeProgram } from './bridge-program.ts'
import { projectSettings } from './project-settings.ts'
import { createTeamTools } from './team-tools.ts'
import { createVendorLoop } from './vendor-loop.ts'
import { type VendorProgram, vendorProgram } from './vendor-program.ts'
import { createConversation, type StartedProgram } from './vendor-session.ts'

export interface VendorAgentsOptions {
  readonly clock: AlarmClock
  /** Where programs run. Its variables are those of commands, without any that the user lets commands see by name. */
  readonly place: Omit<ServerPlace, 'record' | 'program'>
  /** The environment of the user, for credentials and for variables that entries name. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Variables that hold keys of models. */
  readonly keys: readonly string[]
  /** The folder that the program of this teammate sees as its home. It outlives the process. */
  homeOf(team: string, name: string): string
  /** What a person granted to a type of the project, as it is now; or why it may not run, and what to do. */
  approval(type: VendorType): ServerGrants | { readonly why: string }
  /** Whether rules deny the network to commands. */
  deniesNetwork(): boolean
  /** The run is recorded or replayed: what another vendor's program does cannot be repeated. */
  readonly isRecorded: boolean
}

/** Runs agents of other vendors by the Agent Client Protocol, each in a sandbox and with its own credentials only. */
export function createVendorAgents(options: VendorAgentsOptions): VendorAgents {
  const { clock, place, env, keys } = options
  const teamTools = createTeamTools()

  function grantsOf(type: VendorType, { title, folders }: VendorProgram): ServerGrants {
    // It talks to its model, and reaches our MCP server, over the network.
    if (!type.isProject) return { network: true, folders, sandbox: true }
    const approval = options.approval(type)
    if ('why' in approval) throw refused(type, title, approval.why)
    return { network: true, folders: approval.folders, sandbox: true }
  }

  function homeOfUser(): string | undefined {
    return place.env.HOME === undefined ? undefined : realPath(place.env.HOME)
  }

  /** In the sandbox its program has a home folder of its own, mounted where the user's is. */
  function checkHome(type: VendorType, title: string, { folders }: ServerGrants): void {
    if (!place.sandbox) return
    const home = homeOfUser()
    if (home === undefined || home === '/')
      throw refused(type, title, 'it needs a home folder of its own, and HOME does not name a folder. Set HOME.')
    const opened = [place.root, ...place.folders, ...grantedFolders(folders, place.root, home).writable]
    const around = opened.find((folder) => isInside(folder, home))
    if (around !== undefined)
      throw refused(
        type,
        title,
        `it needs a home folder of its own, and ${around}, in which agents work, contains yours (${home}): it would read and write there. Run deskmates in the folder of a project, without --add-dir and "folders" for your home.`,
      )
  }

  function entryOf(type: VendorType, { entry, credentials }: VendorProgram): StdioEntry {
    const expanded = expandEntry(type.name, entry, { env, isProject: type.isProject ?? false, keys })
    // Agents that can change the program could have it send them anywhere.
    const own = canBeChanged(expanded) ? {} : variablesOf(credentials.env)
    return { ...expanded, env: { ...own, ...expanded.env } }
  }

  function variablesOf(names: readonly string[]): Record<string, string> {
    return Object.fromEntries(
      names.flatMap((name) => (env[name] === undefined || keys.includes(name) ? [] : [[name, env[name]]])),
    )
  }

  function canBeChanged(entry: StdioEntry): boolean {
    return writableProgram(entry, programPlace(entry)) !== undefined
  }

  const programPlace = (entry: StdioEntry) => ({
    ...{ cwd: place.root, writable: [place.root, ...place.folders], home: place.env.HOME },
    path: entry.env?.PATH ?? place.env.PATH,
  })

  /** Files of the user's home, by their real paths: one that is missing cannot be shown. */
  function credentialFiles(entry: StdioEntry, { credentials }: VendorProgram): string[] {
    const { HOME } = place.env
    if (HOME === undefined || canBeChanged(entry)) return []
    return credentials.files.map((file) => join(HOME, file)).filter((path) => existsSync(path))
  }

  async function start(type: VendorType, program: VendorProgram, agent: Agent, home: string): Promise<StartedProgram> {
    const grants = grantsOf(type, program)
    const entry = entryOf(type, program)
    mkdirSync(home, { recursive: true, mode: 0o700 })
    const own: ServerPlace = {
      ...place,
      record: (group) => agent.transcript.began({ ...group, of: 'acp' }),
      program: {
        title: `The agent ${agent.name} (${program.title})`,
        agent: `acp/${agent.name}`,
        home: realpathSync(home),
        readable: [...credentialFiles(entry, program), ...bridgeProgram().readable],
        hidden: program.usesProjectSettings ? [] : projectSettings(place.root, homeOfUser(), program.hiddenFiles),
      },
    }
    const secrets = Object.entries(entry.env ?? {}).flatMap(([name, value]) => (isSecretName(name) ? [value] : []))
    const { method } = program.credentials
    const signsInBy = method && entry.env?.[method.variable] ? method.id : undefined
    return { process: await startServer(type.name, entry, grants, own), secrets, signsInBy }
  }

  return {
    check(type, { requirePlan, limits }: VendorSpawn) {
      const program = vendorProgram(type)
      const { title } = program
      if (options.isRecorded)
        throw refused(
          type,
          title,
          'what its program does cannot be recorded or replayed. Use another agent type in such a run.',
        )
      if (requirePlan && !program.asks)
        throw refused(
          type,
          title,
          'require_plan needs an agent that asks before it changes something, and this one is not known to. If it does, set "asks": true in its acp entry; else leave require_plan out.',
        )
      if (limits.dollars !== undefined && limits.turns === undefined)
        throw refused(
          type,
          title,
          'the run has a limit in dollars, and what this agent costs is not known before it says so, if it does. Add a limit of turns (--max-turns), each of its prompts counts as one; or use another agent type.',
        )
      if (options.deniesNetwork())
        throw refused(
          type,
          title,
          'a rule denies commands the network, and this agent does not work without. Remove the rule network, or use another agent type.',
        )
      if (place.requiresSandbox && !place.sandbox)
        throw refused(type, title, 'it must run in a sandbox, and there is none here: deskmates doctor says why.')
      checkHome(type, title, grantsOf(type, program))
      const entry = entryOf(type, program)
      const file = programFile(entry.command, programPlace(entry))
      if (file === undefined || !existsSync(file))
        throw refused(
          type,
          title,
          `its program ${entry.command} is not installed. ${program.install ? `Install it: ${program.install}.` : 'Install it, or correct "command".'}`,
        )
    },
    async open(type, { team, name, openAgent }): Promise<OpenAgent> {
      const program = vendorProgram(type)
      const home = options.homeOf(team, name)
      const serving: { end?: () => void } = {}
      const conversation = createConversation({
        ...{ program, clock, cwd: place.root },
        start: (agent) => start(type, program, agent, home),
        async serveTools() {
          serving.end?.()
          const served = await teamTools.serve({ name, tools: () => agent.tools, call: loop.call })
          serving.end = served.revoke
          return served
        },
      })
      const loop = createVendorLoop({ conversation, clock })
      const agent = await openAgent({ model: modelOf(type), runTurn: loop.runTurn })
      const dispose = async () => {
        serving.end?.()
        await conversation.close()
        await agent[Symbol.asyncDispose]()
      }
      // Its tools may change while it works, so they are not copied.
      return Object.create(agent, { [Symbol.asyncDispose]: { value: dispose } })
    },
    [Symbol.asyncDispose]: () => teamTools[Symbol.asyncDispose](),
  }
}

/** The model of a vendor's agent is known to its program only; this is how the agent is called in records of usage. */
function modelOf({ name }: VendorType): Model {
  const called = `acp/${name}`
  return {
    ...{ name: called, provider: 'acp', account: called, context: undefined, price: undefined },
    // biome-ignore lint/correctness/useYield: it has nothing to say before it fails
    async *reply() {
      throw new ModelFailure(
        { model: called, fault: 'request' },
        `${name} is run by its own program, not by a model here.`,
      )
    },
  }
}

function refused({ name }: VendorType, title: string, why: string): VendorAgentRefused {
  return new VendorAgentRefused(
    `A teammate of type ${name}${title === name ? '' : ` (${title})`} cannot be started: ${why}`,
  )
}
