import type { VendorType } from '../../agent/vendor-agents.ts'
import type { StdioEntry } from '../../mcp/client/server-entry.ts'
import type { AcpEntry } from '../../tools/subagents/acp-entry.ts'
import { type Credentials, PRESETS } from './presets.ts'

/** How an agent of another vendor is started, and what is known about it. */
export interface VendorProgram {
  /** As people call it. */
  readonly title: string
  /** Its command line and variables; those that the user wrote may hold `${VAR}`. */
  readonly entry: StdioEntry
  readonly folders: readonly string[]
  /** The mode in which it asks. */
  readonly mode: string | undefined
  /** It asks before it changes something. */
  readonly asks: boolean
  readonly credentials: Credentials
  /** It loads its settings, hooks and servers from the workspace, because the user said so. */
  readonly usesProjectSettings: boolean
  /** Names of files in the workspace that it would load settings from, besides the usual ones. */
  readonly hiddenFiles: readonly string[]
  /** `_meta` of its sessions. */
  readonly meta: Readonly<Record<string, unknown>> | undefined
  /** How it is installed, where that is known. */
  readonly install: string | undefined
}

const NO_CREDENTIALS: Credentials = { env: [], files: [] }

/** The program of an agent type: a preset with what the entry changes, or what the entry says. */
export function vendorProgram({
  name,
  acp,
  isProject = false,
}: Pick<VendorType, 'name' | 'acp' | 'isProject'>): VendorProgram {
  const own: Exclude<AcpEntry, string> = typeof acp === 'string' ? { preset: acp } : acp
  const preset = own.preset && PRESETS[own.preset]
  const isPreset = own.command === undefined
  // A project may not have its own files read.
  const usesProjectSettings = own.projectSettings === true && !isProject
  const ignored = usesProjectSettings ? undefined : preset?.ignoresProject
  const args = own.args ?? (isPreset ? preset?.args : undefined) ?? []
  return {
    title: preset?.title ?? name,
    entry: {
      command: own.command ?? preset?.command ?? '',
      args: [...args],
      env: { ...preset?.env, ...ignored?.env, ...own.env },
    },
    usesProjectSettings,
    hiddenFiles: ignored?.files ?? [],
    meta: ignored?.meta,
    folders: own.folders ?? [],
    mode: own.mode ?? preset?.mode,
    asks: own.asks ?? preset !== undefined,
    // A project may not have another program read them.
    credentials: (isPreset || !isProject ? preset?.credentials : undefined) ?? NO_CREDENTIALS,
    install: isPreset ? preset?.install : undefined,
  }
}
