import type { CallToolResult, Tool as OfferedTool } from '@modelcontextprotocol/client'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { defineTool } from '../../tools/define-tool.ts'
import {
  inputSchemaFault,
  type JsonSchema,
  offeredSchema,
  schemaFault,
  valueFault,
} from '../../tools/json-schema/json-schema.ts'
import type { Tool, ToolContext } from '../../tools/tool.ts'
import { toolName } from './names.ts'
import type { ServerOffers } from './offers.ts'
import { toolResultOf } from './tool-result.ts'
import { bounded, boundedLine } from './untrusted-text.ts'

/** The most tools of one server. */
const MAX_TOOLS = 256
const MAX_DESCRIPTION = 4096

export interface ServerTools {
  readonly tools: readonly Tool[]
  /** A sentence for each tool that cannot be used, with server, tool and reason. */
  readonly refused: readonly string[]
}

export interface NamedServer {
  readonly name: string
  readonly key: string
  /** Takes the secrets that it was given out of what it says. */
  erase(text: string): string
}

/** Carries out a call of a tool of the server. */
export type CallTool = (tool: OfferedTool, input: object, context: ToolContext) => Promise<CallToolResult>

/**
 * The tools of a server as tools of ours. What a server says of itself grants nothing: a tool that calls itself read-only is
 * asked about like every other, and one with the name of another is refused.
 */
export function serverTools(
  server: NamedServer,
  { tools: offered, unreadable }: Pick<ServerOffers, 'tools' | 'unreadable'>,
  call: CallTool,
): ServerTools {
  const tools: Tool[] = []
  const refused: string[] = []
  const refuse = (tool: unknown, why: string) =>
    refused.push(
      `The MCP server ${server.name}: its tool ${JSON.stringify(boundedLine(tool, 100))} is not used: ${why}.`,
    )
  for (const { name, why } of unreadable.slice(0, MAX_TOOLS)) refuse(name, `it cannot be read: ${why}`)
  for (const one of offered.slice(0, MAX_TOOLS)) {
    const name = toolName(server.key, one.name)
    if (name === undefined) {
      refuse(one.name, 'its name has no letter or digit')
      continue
    }
    // Rules do not tell upper and lower case apart.
    if (tools.some((other) => other.name.toLowerCase() === name.toLowerCase())) {
      refuse(one.name, `there is another tool ${name} of this server`)
      continue
    }
    const fault = inputSchemaFault(one.inputSchema)
    if (fault !== undefined) {
      refuse(one.name, `the schema of its input cannot be used: ${boundedLine(fault, 300)}`)
      continue
    }
    const outputFault = one.outputSchema === undefined ? undefined : schemaFault(one.outputSchema)
    if (outputFault !== undefined) {
      refuse(one.name, `the schema of its output cannot be used: ${boundedLine(outputFault, 300)}`)
      continue
    }
    tools.push(toolOf(server, one, name, call))
  }
  if (offered.length > MAX_TOOLS)
    refused.push(`The MCP server ${server.name} has ${offered.length} tools; the first ${MAX_TOOLS} are used.`)
  return { tools, refused }
}

function toolOf(server: NamedServer, offered: OfferedTool, name: string, call: CallTool): Tool {
  const schema = offered.inputSchema as JsonSchema
  const words = bounded(offered.description, MAX_DESCRIPTION).trim()
  return defineTool<object>({
    name,
    description: `A tool of the MCP server ${server.name}. ${words === '' ? 'It has no description.' : `In its words: ${words}`}`,
    input: checkedBy(schema),
    schema: offeredSchema(schema),
    run: async (input, context) =>
      toolResultOf(await call(offered, input, context), name, { outputs: context.outputs, erase: server.erase }),
  })
}

/** The input as the server wants it. */
function checkedBy(schema: JsonSchema): StandardSchemaV1<unknown, object> {
  return {
    '~standard': {
      version: 1,
      vendor: 'mcp',
      validate(value) {
        const fault = valueFault(schema, value)
        return fault === undefined ? { value: value as object } : { issues: [{ message: fault }] }
      },
    },
  }
}
