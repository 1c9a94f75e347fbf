import { isSecretVariable } from '../../redaction/secret-name.ts'
import { TeamError } from '../../team/errors.ts'
import { shellWord } from '../../team/wording.ts'
import { isStdio, type ServerEntry } from './server-entry.ts'

type Env = Readonly<Record<string, string | undefined>>

/** `${VAR}` or `${VAR:-default}`. */
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

export class VariableRefused extends TeamError {
  readonly code = 'mcp_variable_refused'
}

export interface ExpandOptions {
  readonly env: Env
  /** The entry is written in a file of the project. */
  readonly isProject: boolean
  /** Variables that hold keys of models, as the settings name them. */
  readonly keys?: readonly string[] | undefined
}

/** The names of all variables that an entry uses, each once. */
export function variablesOf(entry: ServerEntry): string[] {
  return [...new Set(textsOf(entry).flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name]) => name!)))]
}

/** The entry with the values of its variables. Throws `VariableRefused` for one that is missing or may not be used. */
export function expandEntry<E extends ServerEntry>(name: string, entry: E, options: ExpandOptions): E {
  const expand = (text: string) => expandText(name, text, options)
  const values = (texts: Record<string, string> | undefined) =>
    texts && Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, expand(text)]))
  if (!isStdio(entry))
    return { ...entry, url: expand(entry.url), ...(entry.headers && { headers: values(entry.headers) }) }
  return {
    ...entry,
    command: expand(entry.command),
    ...(entry.args && { args: entry.args.map(expand) }),
    ...(entry.env && { env: values(entry.env) }),
    ...(entry.cwd !== undefined && { cwd: expand(entry.cwd) }),
  }
}

function expandText(server: string, text: string, options: ExpandOptions): string {
  return text.replace(VARIABLE, (_, name: string, fallback: string | undefined) => {
    const value = options.env[name]
    if (options.isProject && isForbidden(name, value ?? '', options.keys ?? []))
      throw new VariableRefused(forbidden(server, name))
    // As in a shell, an empty variable counts as missing where there is a default.
    const found = value === '' && fallback !== undefined ? undefined : value
    if (found === undefined && fallback === undefined)
      throw new VariableRefused(
        `The MCP server ${server} uses \${${name}}, and there is no variable ${name}. Set it, or write \${${name}:-default}.`,
      )
    return found ?? fallback!
  })
}

/** What no file of a project may send elsewhere: keys of models, secrets by name or value, what opens other teams. */
function isForbidden(name: string, value: string, keys: readonly string[]): boolean {
  return /^DESKMATES_/i.test(name) || keys.includes(name) || isSecretVariable(name, value)
}

function forbidden(server: string, name: string): string {
  return (
    `The MCP server ${server} of this project uses \${${name}}, and a file of a project cannot read a secret. ` +
    `If you want it to have that: deskmates mcp add ${shellWord(server)} … (without --scope project) keeps it in your own files.`
  )
}

function textsOf(entry: ServerEntry): string[] {
  if (!isStdio(entry)) return [entry.url, ...Object.values(entry.headers ?? {})]
  return [
    entry.command,
    ...(entry.args ?? []),
    ...Object.values(entry.env ?? {}),
    ...(entry.cwd === undefined ? [] : [entry.cwd]),
  ]
}
