import { resolve } from 'node:path'
import { confirm, isCancel, log, note, text } from '@clack/prompts'
import { isStdio } from '../../mcp/client/server-entry.ts'
import { configuredServers, requestedBy } from '../../session/mcp/configured-servers.ts'
import { shellWord } from '../../team/wording.ts'
import type { Workspace } from '../../workspace.ts'
import { decide } from '../mcp/decide.ts'
import { aboutServer } from '../mcp/print-server.ts'
import { oneLine, plain } from '../output/format.ts'
import type { Call } from '../program/context.ts'
import type { RunOptions } from '../run/options.ts'
import { readSettings } from '../workspace/read-settings.ts'

/** Asks once about each MCP server that the project brings along: whether it runs, and what it may use. */
export async function askServers(call: Call, workspace: Workspace, options: RunOptions): Promise<void> {
  if (options.strictMcpConfig) return
  const settings = await readSettings(call, workspace, {}, options.settings)
  const cwd = resolve(call.cwd, call.globals.cwd ?? '.')
  const { servers } = configuredServers({ workspace, settings, cwd, env: call.env })
  for (const server of servers) {
    if (server.state.kind !== 'needs_approval') continue
    call.prompt?.close()
    note(plain(aboutServer(server).join('\n')), 'An MCP server of this project')
    const isProgram = isStdio(server.entry)
    const isWanted = await confirm({
      message: `May ${plain(server.name)} ${isProgram ? 'run' : 'be used'}?`,
      initialValue: false,
    })
    if (isCancel(isWanted)) return
    const nothing = { network: false, folders: [], sandbox: true }
    if (!isWanted || !isProgram) {
      decide(call, workspace, server, isWanted ? 'approved' : 'rejected', nothing)
      continue
    }
    const wanted = requestedBy(server.entry)
    const network = await confirm({ message: 'May it use the network?', initialValue: false })
    if (isCancel(network)) return
    const granted = await askFolders(wanted.folders)
    if (granted === undefined) return
    decide(call, workspace, server, 'approved', { network, folders: granted, sandbox: true })
    if (!wanted.sandbox)
      log.info(
        plain(
          `It runs in the sandbox. To let it run outside: deskmates mcp approve ${shellWord(server.name)} --no-sandbox`,
        ),
      )
  }
}

/** Those that it asks for one by one, then others. Undefined where the person leaves the question. */
async function askFolders(wanted: readonly string[]): Promise<string[] | undefined> {
  const granted: string[] = []
  for (const folder of wanted) {
    const isGranted = await confirm({ message: `May it use the folder ${oneLine(folder)}?`, initialValue: false })
    if (isCancel(isGranted)) return undefined
    if (isGranted) granted.push(folder)
  }
  const others = await text({
    message: 'Other folders it may use besides the workspace, with commas between them (DIR:ro for reading only)',
    placeholder: 'none',
    defaultValue: '',
  })
  if (isCancel(others)) return undefined
  return [...granted, ...others.split(',').flatMap((folder) => folder.trim() || [])]
}
