import { shellWord } from '../../team/wording.ts'
import { type ConfiguredServer, isStdio, type ServerEntry } from './server-entry.ts'
import { boundedLine } from './untrusted-text.ts'

/** What a server that answers 401 says, and what a person can do about it, as it works where the server is configured. */
export function loginAdvice(
  { name, entry, source, path, isProject }: Omit<ConfiguredServer, 'key' | 'state'>,
  challenge: string | null,
): string {
  const wants = boundedLine(challenge ?? '', 200)
  const intro = `The MCP server ${name} refused the connection (401${wants === '' ? '' : `, it wants ${wants}`})`
  const sent = headerOf(entry)
  if (sent !== undefined && !isProject)
    return `${intro}: it does not accept the ${sent.name} header of its entry. ${renew(sent)} ${NO_OAUTH}`
  const variable = variableOf(name)
  const header = `Authorization: Bearer \${${variable}}`
  const token = `Get an access token from its provider, and set the variable ${variable} to it. Then`
  if (isProject || source === 'local') {
    const first = isProject ? '' : `deskmates mcp remove ${shellWord(name)} --scope local && `
    const why = isProject ? ' (a server of your own counts before one of the project)' : ''
    return `${intro}: it needs a login. ${token} run: ${first}deskmates mcp add --transport http ${shellWord(name)} ${address(entry)} --header '${header}'${why}. ${NO_OAUTH}`
  }
  const [key = '', value = ''] = header.split(': ')
  const where = path === undefined ? 'its entry' : `the entry ${name} of ${path}`
  return `${intro}: it needs a login. ${token} add to ${where}: "headers": ${JSON.stringify({ [key]: value })}. ${NO_OAUTH}`
}

const NO_OAUTH = 'A login with OAuth in the browser is not supported.'

/** The header by which the server should know the user. */
function headerOf(entry: ServerEntry): { readonly name: string; readonly value: string } | undefined {
  if (isStdio(entry)) return undefined
  const found = Object.entries(entry.headers ?? {}).find(([name]) => /^(?:authorization|.*(?:key|token))$/i.test(name))
  return found && { name: boundedLine(found[0], 100), value: found[1] }
}

function renew({ value }: { readonly value: string }): string {
  const variable = /\$\{(\w+)/.exec(value)?.[1]
  return variable === undefined
    ? 'Get a new token from its provider, and write it there.'
    : `Get a new token from its provider, and set the variable ${variable} to it.`
}

/** As written, for a command line; an address with a password is not repeated. */
function address(entry: ServerEntry): string {
  const url = isStdio(entry) ? '' : entry.url
  return url.length > 500 || /^\w+:\/\/[^/]*@/.test(url) ? 'URL' : shellWord(url)
}

function variableOf(name: string): string {
  return `${name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^(?=\d)/, '_')}_TOKEN`
}
