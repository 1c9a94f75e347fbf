import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { codeOf, type Disk, realDisk } from '../disk.ts'
import { readStateFile, writeStateFile } from './state-file.ts'

const Approval = z.object({
  path: z.string(),
  name: z.string(),
  /** Of the entry that the person saw. */
  hash: z.string(),
  decision: z.enum(['approved', 'rejected']),
  network: z.boolean(),
  folders: z.array(z.string()),
  sandbox: z.boolean(),
})

/** What a person decided about an MCP server that a project brings along. */
export type ServerApproval = Omit<z.infer<typeof Approval>, 'path' | 'name'>

const LocalServers = z.object({ path: z.string(), mcpServers: z.record(z.string(), z.unknown()) })

/** Decisions about the servers of projects, and servers that are a user's own in one folder: no agent can write there. */
export interface ServerApprovals {
  /** Servers that only this user has, in this folder only. */
  localServers(workspace: string): Readonly<Record<string, unknown>>
  setLocalServers(workspace: string, servers: Readonly<Record<string, unknown>>): void
  get(workspace: string, name: string): ServerApproval | undefined
  set(workspace: string, name: string, approval: ServerApproval): void
  /** Forgets the decision, so that it is asked again. */
  remove(workspace: string, name: string): void
}

/** One small file for each server and folder in `state`, as for trust. */
export function openServerApprovals(
  state: string,
  { disk = realDisk, warn = () => {} }: { disk?: Disk; warn?: (text: string) => void } = {},
): ServerApprovals {
  const file = (workspace: string, name: string) =>
    join(state, 'trust', 'mcp', `${sha(JSON.stringify([resolve(workspace), name]))}.json`)
  const localFile = (workspace: string) => join(state, 'mcp', `${sha(resolve(workspace))}.json`)
  return {
    localServers(workspace) {
      const found = readStateFile(disk, localFile(workspace), LocalServers, warn)
      return found?.path === resolve(workspace) ? found.mcpServers : {}
    },
    setLocalServers(workspace, mcpServers) {
      writeStateFile(disk, state, localFile(workspace), { path: resolve(workspace), mcpServers })
    },
    get(workspace, name) {
      const found = readStateFile(disk, file(workspace, name), Approval, warn)
      return found?.path === resolve(workspace) && found.name === name ? found : undefined
    },
    set(workspace, name, approval) {
      writeStateFile(disk, state, file(workspace, name), { path: resolve(workspace), name, ...approval })
    },
    remove(workspace, name) {
      try {
        disk.unlinkSync(file(workspace, name))
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error
      }
    },
  }
}

function sha(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
