import { toolName } from '../../mcp/client/names.ts'
import type { McpServers } from '../../mcp/client/servers.ts'
import { boundedLine } from '../../mcp/client/untrusted-text.ts'
import { resourceText } from '../../prompts/resource.ts'
import { TeamError } from '../../team/errors.ts'

export interface PromptServers {
  readonly servers: McpServers | undefined
  /** Whether the rules of the user let agents know of this server at all. */
  isOffered(tool: string): boolean
  /** Keeps a long text in a file; the path by which the lead reads it. */
  keep(text: string, about: string): string
}

export class PromptNotExpanded extends TeamError {
  readonly code = 'mcp_prompt_refused'
}

/** A longer text is kept in a file, and the prompt holds its beginning. */
const MAX_CHARACTERS = 50_000
const MAX_MENTIONS = 10
const EXPAND_MS = 60_000

/** `/mcp__server__prompt words`, as the name stands in the list of commands. */
const COMMAND = /^\s*\/(mcp__[A-Za-z0-9_-]+)(?:\s+([\s\S]*))?$/
/** `@server:uri` in the middle of a prompt. */
const MENTION = /(^|[\s([])@([A-Za-z0-9_.-]+):([A-Za-z][A-Za-z0-9+.-]*:[^\s<>"'`)\]]+)/g

/**
 * A prompt that a person typed, with what it names of MCP servers: a prompt of a server in its place, resources behind it. Text
 * that was piped in is not for this: strangers may have written it.
 */
export async function expandPrompt(text: string, options: PromptServers): Promise<string> {
  const { servers } = options
  if (!/mcp__|@/.test(text)) return text
  const signal = AbortSignal.timeout(EXPAND_MS)
  const [, name, words = ''] = COMMAND.exec(text) ?? []
  if (!servers) {
    if (name === undefined) return text
    throw new PromptNotExpanded(
      `There is no prompt /${name}: no MCP server is configured here. See: deskmates mcp list`,
    )
  }
  if (name === undefined) return withResources(text, options, signal)
  await servers.ready(signal)
  return promptOf(name, words, options, signal)
}

/** The prompts of all servers, as commands. */
export function serverPrompts(servers: McpServers | undefined): { readonly name: string; readonly about: string }[] {
  return (servers?.status() ?? []).flatMap(({ key, name: server }) =>
    (servers?.find(key)?.offers.prompts ?? []).slice(0, 100).flatMap(({ name, description }) => {
      const command = toolName(key, name)
      return command === undefined
        ? []
        : [{ name: command, about: `${boundedLine(description, 100)} (${server})`.trim() }]
    }),
  )
}

async function promptOf(
  command: string,
  words: string,
  { servers, isOffered, keep }: PromptServers,
  signal: AbortSignal,
): Promise<string> {
  const key = /^mcp__(.+?)__/i.exec(command)?.[1]?.toLowerCase()
  const server = servers!.status().find((one) => one.key.toLowerCase() === key)
  const found = server && servers!.find(server.key)
  const prompt = found?.offers.prompts.find(
    ({ name }) => toolName(server!.key, name)?.toLowerCase() === command.toLowerCase(),
  )
  if (!server || !found || !prompt || !isOffered(command)) {
    const known = serverPrompts(servers).map(({ name }) => `/${name}`)
    const list = known.length === 0 ? 'No MCP server has prompts here.' : `There are: ${known.slice(0, 20).join(', ')}.`
    throw new PromptNotExpanded(`There is no prompt /${command}. ${list}`)
  }
  const given = wordsOf(words)
  const wanted = prompt.arguments ?? []
  const missing = wanted.filter(({ required }, i) => required && given[i] === undefined).map(({ name }) => name)
  if (missing.length > 0)
    throw new PromptNotExpanded(
      `/${command} needs ${missing.map((name) => boundedLine(name, 50)).join(', ')}. Write: /${command} ${wanted.map(({ name }) => boundedLine(name, 50).toUpperCase()).join(' ')}`,
    )
  const args = Object.fromEntries(
    wanted.flatMap(({ name }, i) => {
      // The last one takes all words that are left.
      const value = i === wanted.length - 1 ? given.slice(i).join(' ') : given[i]
      return value === undefined || value === '' ? [] : [[name, value]]
    }),
  )
  const { messages } = await found.connection.prompt(prompt.name, args, signal)
  const texts = messages.map(({ role, content }) => {
    const text =
      content.type === 'text'
        ? content.text
        : content.type === 'resource' && 'text' in content.resource
          ? content.resource.text
          : `[${content.type}]`
    return role === 'assistant' ? `Assistant: ${text}` : text
  })
  return fitted(servers!.erase(texts.join('\n\n')), command, keep)
}

async function withResources(text: string, options: PromptServers, signal: AbortSignal): Promise<string> {
  const { servers, isOffered, keep } = options
  const known = servers!.status()
  const parts: string[] = []
  for (const [, , name = '', named = ''] of [...text.matchAll(MENTION)].slice(0, MAX_MENTIONS)) {
    const server = known.find((one) => [one.name, one.key].some((other) => other.toLowerCase() === name.toLowerCase()))
    if (!server) continue
    const uri = named.replace(/[.,;:!?]+$/, '')
    await servers!.ready(signal)
    const found = servers!.find(server.key)
    if (!found || !isOffered(`mcp__${server.key}__resource`))
      throw new PromptNotExpanded(
        `@${name}:${uri} cannot be read: ${server.why ?? `the MCP server ${server.name} is not connected`}. See: deskmates mcp list`,
      )
    const { contents } = await found.connection.readResource(uri, signal)
    const read = contents.map((one) =>
      'text' in one ? one.text : `[${boundedLine(one.mimeType, 100) || 'binary'} data, not shown]`,
    )
    parts.push(resourceText(server.name, uri, fitted(servers!.erase(read.join('\n')), 'resource', keep)))
  }
  return parts.length === 0 ? text : [text, ...parts].join('\n\n')
}

function fitted(text: string, about: string, keep: PromptServers['keep']): string {
  if (text.length <= MAX_CHARACTERS) return text
  return `${text.slice(0, MAX_CHARACTERS)}\n[… all of it is in ${keep(text, about)}]`
}

/** Words with single or double quotes around what belongs together. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )
}
