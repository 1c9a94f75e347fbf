import { realpathSync } from 'node:fs'
import { vendorProgram } from '../../acp/client/vendor-program.ts'
import { isVendorType, type VendorType } from '../../agent/vendor-agents.ts'
import { variablesOf } from '../../mcp/client/expand.ts'
import { boundedLine } from '../../mcp/client/untrusted-text.ts'
import { isTrusted } from '../../permissions/trust/folder-trust.ts'
import { agentTypesOf, settingsAgentTypes } from '../../session/agent-types.ts'
import { decisionAbout } from '../../session/vendor-agents.ts'
import type { Workspace } from '../../workspace.ts'
import { warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { Misused } from '../program/failure.ts'
import { readSettings } from '../workspace/read-settings.ts'

/** The agent types of other vendors here. Starts none of them. */
export async function vendorTypes(call: Call, workspace: Workspace): Promise<readonly VendorType[]> {
  const given = settingsAgentTypes(await readSettings(call, workspace))
  const root = realpathSync(workspace.workspace)
  const all = agentTypesOf({
    ...{ workspace, root, folders: [], env: call.env, given },
    warn: (text) => void warn(call, text),
  })
  return all.filter(isVendorType)
}

/** One that a file of the project describes: only about those a person decides. */
export async function projectType(call: Call, workspace: Workspace, name: string): Promise<VendorType> {
  const types = await vendorTypes(call, workspace)
  const found = types.find((type) => type.name.toLowerCase() === name.toLowerCase())
  if (found?.isProject) return found
  if (found) throw new Misused(`The agent type ${found.name} is your own, so it needs no approval.`)
  const known = types.map((type) => type.name).join(', ')
  throw new Misused(
    `There is no agent type ${JSON.stringify(name)} of another vendor. ${known === '' ? 'None is configured: see docs/acp.md.' : `There are: ${known}.`}`,
  )
}

/** As the commands show a type. */
export function typeRow(call: Call, workspace: Workspace, type: VendorType) {
  const { title, entry, credentials, folders } = vendorProgram(type)
  return {
    name: type.name,
    source: type.isProject ? 'project' : 'yours',
    state: stateOf(call, workspace, type),
    title,
    // All of it: what is left out could be what a person would not approve.
    runs: shown([entry.command, ...(entry.args ?? [])].join(' ')),
    variables: [...new Set([...Object.keys(entry.env ?? {}), ...variablesOf(entry)])].map(shown),
    folders: folders.map(shown),
    credentials: [...credentials.env, ...credentials.files.map((file) => `~/${file}`)],
  }
}

/** More than a command line can have. */
const MAX_SHOWN_CHARACTERS = 4_000_000

/** Text of a file of the project, on one line of a terminal. */
function shown(text: string): string {
  return boundedLine(text, MAX_SHOWN_CHARACTERS)
}

function stateOf(call: Call, workspace: Workspace, type: VendorType): string {
  if (!type.isProject || workspace.trust.everything) return 'ready'
  if (!isTrusted(workspace)) return 'needs_trust'
  const decision = decisionAbout(type, workspace, call.env)?.decision
  return decision === 'approved' ? 'ready' : (decision ?? 'needs_approval')
}
