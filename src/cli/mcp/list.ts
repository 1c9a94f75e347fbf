import { describeServer } from '../../mcp/client/describe-server.ts'
import type { ConfiguredServer } from '../../mcp/client/server-entry.ts'
import { checkServers, type ServerCheck } from '../../session/mcp/check-servers.ts'
import { keyVariablesOf } from '../../session/session-options.ts'
import { oneLine, table } from '../output/format.ts'
import { print, printJsonArray, printMessage, warn } from '../output/print.ts'
import { EXIT } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { readServers } from '../workspace/read-servers.ts'
import { readSettings } from '../workspace/read-settings.ts'
import { serverJson, stateText } from './print-server.ts'

const MAX_WHY = 2000

interface Options {
  readonly check: boolean
}

/** Starts each server that may be started, to see whether it works, and ends it again. */
export const mcpList: SubCommand<Options> = {
  example: `$ deskmates mcp list
$ deskmates mcp list --no-check     starts none of them`,
  define(command) {
    command.option('--no-check', 'do not start them to see whether they work')
  },
  async run(call, { check }) {
    await using workspace = await openStore(call)
    const loaded = await readSettings(call, workspace)
    const servers = await readServers(call, workspace, loaded)
    const checks = check
      ? await checkServers({
          ...{ servers, workspace, env: call.env, clock: call.clock, signal: call.signal },
          keys: keyVariablesOf(loaded.settings),
          sandbox: loaded.settings.sandbox,
          warn: (text) => void warn(call, text),
        })
      : new Map<string, ServerCheck>()
    const rows = servers.map((server) => ({ server, checked: checks.get(server.key) }))
    if (call.globals.json)
      await printJsonArray(
        call,
        rows.map(({ server, checked }) => ({ ...serverJson(server), check: checked ?? null })),
      )
    else if (rows.length === 0) await printMessage(call, 'No MCP servers. Add one: deskmates mcp add NAME -- COMMAND')
    else await print(call, table(call, ['name', 'from', 'state', 'runs'], rows.map(rowOf)))
    // The column is narrow, and the end of a reason says what to do.
    if (!call.globals.json)
      for (const { checked } of rows)
        if (checked?.why !== undefined && oneLine(checked.why) !== oneLine(checked.why, MAX_WHY))
          await printMessage(call, oneLine(checked.why, MAX_WHY))
    return rows.some(({ checked }) => checked?.status === 'failed') ? EXIT.failed : EXIT.done
  },
}

function rowOf({ server, checked }: { server: ConfiguredServer; checked: ServerCheck | undefined }): string[] {
  return [
    oneLine(server.name),
    server.source,
    checked ? checkText(checked) : stateText(server),
    describeServer(server).runs,
  ]
}

function checkText({ status, tools, why }: ServerCheck): string {
  if (status === 'connected') return `works, ${tools} ${tools === 1 ? 'tool' : 'tools'}`
  return `failed: ${oneLine(why ?? '')}`
}
