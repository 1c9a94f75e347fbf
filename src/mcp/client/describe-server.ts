import { plainText } from '../../redaction/plain-text.ts'
import { isSecretName } from '../../redaction/secret-name.ts'
import { shellWord } from '../../team/wording.ts'
import { variablesOf } from './expand.ts'
import { type ConfiguredServer, isStdio } from './server-entry.ts'

/** What a person reads before a server is approved. Values that are or may be secrets are not shown. */
export interface ServerDescription {
  /** The command line or the URL, as written. */
  readonly runs: string
  readonly transport: 'stdio' | 'http'
  /** Every variable of the user that it reads. */
  readonly variables: readonly string[]
  /** Variables and headers that it sets or sends, with those values that can be shown. */
  readonly values: readonly { readonly name: string; readonly value: string }[]
  readonly cwd?: string
  /** What it asks for. */
  readonly network: boolean
  readonly folders: readonly string[]
  readonly sandbox: boolean
}

export function describeServer({ entry, isProject }: Pick<ConfiguredServer, 'entry' | 'isProject'>): ServerDescription {
  const values = Object.entries((isStdio(entry) ? entry.env : entry.headers) ?? {}).map(([name, value]) => ({
    name: shown(name, 200),
    value: isShown(name, value, isProject) ? shown(value, 500) : HIDDEN,
  }))
  const about = { variables: variablesOf(entry), values }
  if (!isStdio(entry))
    return { ...about, transport: 'http', runs: withoutLogin(entry.url), network: true, folders: [], sandbox: true }
  return {
    ...about,
    transport: 'stdio',
    runs: shown([entry.command, ...(entry.args ?? [])].map(word).join(' '), 2000),
    ...(entry.cwd !== undefined && { cwd: shown(entry.cwd, 500) }),
    network: entry.network ?? false,
    folders: (entry.folders ?? []).map((folder) => shown(folder, 500)),
    sandbox: entry.sandbox !== false,
  }
}

const HIDDEN = '(hidden)'

/** References to variables hold no secret; what a project file sets can change what the program does, so it is shown. */
function isShown(name: string, value: string, isProject: boolean): boolean {
  if (/^(?:\$\{\w+\}|(?:Bearer|Basic|Token) \$\{\w+\})$/i.test(value)) return true
  return isProject && !isSecretName(name) && !/^(authorization|cookie|proxy-authorization)$/i.test(name)
}

function withoutLogin(url: string): string {
  return shown(url, 2000).replace(/^(\w+:\/\/)[^/@\s]*@/, `$1${HIDDEN}@`)
}

/** As a person would type it; references to variables are left as they are. */
function word(text: string): string {
  return /^[\w./:@%+=,~${}-]+$/.test(text) ? text : shellWord(text)
}

/** Signs that end a line are shown, since they may end a comment; what is left out is counted, since it may be what matters. */
function shown(text: string, length: number): string {
  const visible = plainText(text.replace(/\r\n|\n|\r/g, '\\n').replaceAll('\t', '\\t'))
  const rest = visible.length - length
  return rest <= 0 ? visible : `${visible.slice(0, length)}… (${rest} more characters, not shown)`
}
