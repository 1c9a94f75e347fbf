import { Option } from 'commander'
import type { ServerEntry } from '../../mcp/client/server-entry.ts'
import { print, printJson, printMessage } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { Misused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { addServer, SCOPES, type Scope } from './write-server.ts'

interface Options {
  readonly transport?: 'stdio' | 'http'
  readonly scope: Scope
  readonly env?: string[]
  readonly header?: string[]
  readonly network?: true
  readonly folder?: string[]
  readonly perAgent?: true
  readonly timeout?: string
}

export const mcpAdd: SubCommand<Options, [name: string, target: string | undefined, rest: string[]]> = {
  example: `$ deskmates mcp add files --network -- npx -y @modelcontextprotocol/server-filesystem .
$ deskmates mcp add --transport http tracker https://mcp.example.com/mcp --header 'Authorization: Bearer \${TRACKER_TOKEN}'
$ deskmates mcp add github --env 'GITHUB_TOKEN=\${GITHUB_TOKEN}' --network -- npx -y github-mcp`,
  instead: () => 'Only a person adds MCP servers.',
  define(command) {
    command
      .argument('<name>', 'how its tools are called: mcp__NAME__tool')
      .argument('[command or url]', 'the program, behind --, or the address')
      .argument('[args...]', 'of the program')
      .addOption(new Option('-t, --transport <kind>', 'stdio, or http').choices(['stdio', 'http']))
      .addOption(new Option('-s, --scope <scope>', 'who has it').choices(SCOPES).default('local'))
      .option('-e, --env <name=value>', 'a variable of the server, such as KEY=value', another)
      .option('-H, --header <name: value>', 'sent with each request', another)
      .option('--network', 'it may use the network; without it, it has none')
      .option('--folder <dir>', 'a folder it may use besides the workspace; DIR:ro for reading only', another)
      .option('--per-agent', 'one process for each agent, instead of one for all')
      .option('--timeout <ms>', 'milliseconds a call may take')
  },
  async run(call, options, name, target, rest) {
    await using workspace = await openStore(call)
    const entry = entryOf(options, target, rest)
    const added = addServer(call, workspace, options.scope, name, entry)
    await report(call, name, options.scope, added)
  },
}

export async function report(
  call: Call,
  name: string,
  scope: Scope,
  { file, entry }: { file: string | undefined; entry: ServerEntry },
): Promise<void> {
  if (call.globals.json) return printJson(call, { name, scope, path: file ?? null, added: true })
  await print(call, `added  ${name}  ${file ?? 'for you, in this folder'}\n`)
  if ('command' in entry && !entry.network)
    await printMessage(
      call,
      'It has no network. If it needs one, as npx does to fetch a package, remove it and add it again with --network.',
    )
}

function entryOf(options: Options, target: string | undefined, args: readonly string[]): ServerEntry {
  const { env, header, folder, network, perAgent, timeout } = options
  if (target === undefined)
    throw new Misused(
      'No command and no URL given. Write: deskmates mcp add NAME -- COMMAND, or: --transport http NAME URL',
    )
  const isHttp = options.transport === 'http' || (options.transport === undefined && /^https?:\/\//.test(target))
  const common = { ...(perAgent && { perAgent }), ...(timeout !== undefined && { timeout: milliseconds(timeout) }) }
  if (isHttp) {
    if (args.length > 0 || env || folder || network)
      throw new Misused(
        'A server over HTTP has a URL and --header only: arguments, --env, --folder and --network are for programs.',
      )
    return { type: 'http', url: target, ...(header && { headers: pairs(header, ':', 'Name: value') }), ...common }
  }
  if (header) throw new Misused('--header is for servers over HTTP. Use --transport http, or --env.')
  return {
    command: target,
    ...(args.length > 0 && { args: [...args] }),
    ...(env && { env: pairs(env, '=', 'NAME=value') }),
    ...(network && { network }),
    ...(folder && { folders: folder }),
    ...common,
  }
}

function pairs(texts: readonly string[], sign: string, shape: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf(sign)
      // The text is not repeated: it may hold a secret.
      if (at < 1) throw new Misused(`A value is not of the form ${shape}.`)
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
    }),
  )
}

function milliseconds(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Misused(`${JSON.stringify(text)} is not a number of milliseconds.`)
  return Number(text)
}

export function another(text: string, before: string[] = []): string[] {
  return [...before, text]
}
