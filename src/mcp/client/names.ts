import { createHash } from 'node:crypto'
import { plainText } from '../../redaction/plain-text.ts'

/** The most characters that providers accept in the name of a tool. */
const MAX_NAME = 64
const MAX_SERVER_KEY = 32
const MAX_SERVER_NAME = 100
const HASH_LENGTH = 6

/**
 * The name of a server as it stands in the names of its tools. It has no `__` and no `_` at its ends, so that
 * `mcp__server__tool` can be read in one way only and a rule for one server never means another. Undefined: no letter is left.
 */
export function serverKey(name: string): string | undefined {
  const key = name
    .replace(/[^A-Za-z0-9-]+/g, '_')
    .replace(/_+/g, '_')
    .replace(/^_+|_+$/g, '')
  if (key === '') return undefined
  return key.length <= MAX_SERVER_KEY ? key : shortened(key, MAX_SERVER_KEY, name)
}

/** Why a server cannot have this name; undefined if it can. People read names where they decide, and copy them into commands. */
export function serverNameFault(name: string): string | undefined {
  if (serverKey(name) === undefined) return 'its name has no letter or digit'
  if (name.length > MAX_SERVER_NAME) return `its name has more than ${MAX_SERVER_NAME} characters`
  if (plainText(name) !== name || /[^\S ]| {2}|^ | $/.test(name)) return 'its name has characters that cannot be seen'
  return undefined
}

/** `mcp__server__tool`: no tool of ours has such a name. Undefined: no letter is left of the tool's name. */
export function toolName(server: string, tool: string): string | undefined {
  const prefix = `mcp__${server}__`
  const name = tool.replace(/[^A-Za-z0-9_-]+/g, '_')
  if (!/[A-Za-z0-9]/.test(name)) return undefined
  const length = MAX_NAME - prefix.length
  return prefix + (name.length <= length ? name : shortened(name, length, tool))
}

/** The end of a name is replaced by a hash of all of it, so that two long names stay different. */
function shortened(text: string, length: number, whole: string): string {
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, HASH_LENGTH)
  return `${text.slice(0, length - HASH_LENGTH - 1).replace(/_+$/, '')}-${hash}`
}
