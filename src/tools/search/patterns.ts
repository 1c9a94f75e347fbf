import { createContext, Script } from 'node:vm'
import { TeamError } from '../../team/errors.ts'

export interface Pattern {
  /** Tried on one line at a time. */
  readonly line: RegExp
  /** Tried on a whole text first: where it finds nothing, no line matches. */
  readonly text: RegExp | undefined
  /** The same for ripgrep; undefined where it could mean something else there. */
  readonly rust: string | undefined
  readonly ignoresCase: boolean
}

/** A regular expression as a model writes it, which may begin with flags as in `(?i)todo`. */
export function compile(source: string, ignoreCase: boolean): Pattern {
  const [, inline = '', body = source] = /^\(\?([ims]+)\)(.*)$/s.exec(source) ?? []
  const ignoresCase = ignoreCase || inline.includes('i')
  const flags = ignoresCase ? 'i' : ''
  const strict = attempt(body, `${flags}u`)
  // Without `u` JavaScript forgives needless escapes like `\-`; what is wrong then is really wrong.
  const line = strict ?? new RegExp(body, flags)
  const looksAround = /\(\?<?!/.test(body)
  return {
    line,
    text: looksAround ? undefined : new RegExp(line.source, `${line.flags}m`),
    rust: strict && toRust(body),
    ignoresCase,
  }
}

function attempt(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags)
  } catch (error) {
    try {
      new RegExp(source)
    } catch {
      throw new WrongPattern(source, error)
    }
    return undefined
  }
}

export class WrongPattern extends TeamError {
  readonly code = 'wrong_pattern'
  constructor(source: string, cause: unknown) {
    super(
      `${source} is not a regular expression: ${(cause as Error).message}. Escape what is meant literally with \\.`,
      { cause },
    )
  }
}

/** Token by token; undefined as soon as one is not known to mean the same, or more, in both languages. */
function toRust(source: string): string | undefined {
  const token = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\((?:\?:)?|[\s\S]/g
  let rust = ''
  for (const { 0: text, index } of source.matchAll(token)) {
    // It takes the carriage return of a line with it, so nothing may look at what stands behind it.
    if (text === '$' && !/^\$\)*$/.test(source.slice(index))) return undefined
    const same = text.startsWith('[')
      ? classToRust(text)
      : text.startsWith('\\')
        ? ESCAPES[text]
        : text === '$'
          ? '\\r?$'
          : text
    if (same === undefined || (text === '?' && rust.endsWith('('))) return undefined
    rust += same
  }
  return rust
}

function classToRust(text: string): string | undefined {
  const inner = text.slice(1, -1)
  // Rust adds and subtracts classes, and knows [:names:].
  if (/[[]|&&|--|~~/.test(inner) || /\\[^dws.*+?()[\]{}|/$^\\tnr-]/.test(inner)) return undefined
  if (inner === '' || inner === '^' || (inner.startsWith('^') && inner.includes('\\s'))) return undefined
  return `[${inner.replace(/\\[dws/]/g, (sign) => IN_CLASS[sign]!)}]`
}

const IN_CLASS: Record<string, string> = {
  '\\d': '0-9',
  '\\w': '0-9A-Za-z_',
  '\\s': '\\s\\x{feff}',
  '\\/': '/',
}

const ESCAPES: Record<string, string | undefined> = {
  '\\d': '[0-9]',
  '\\D': '[^0-9]',
  '\\w': '[0-9A-Za-z_]',
  '\\W': '[^0-9A-Za-z_]',
  '\\s': '[\\s\\x{feff}]',
  // Rust counts one character more as white space than JavaScript.
  '\\S': '[\\S\\x{85}]',
  '\\b': '(?-u:\\b)',
  '\\t': '\\t',
  '\\/': '/',
  ...Object.fromEntries([...'^$\\.*+?()[]{}|'].map((sign) => [`\\${sign}`, `\\${sign}`])),
}

const context = createContext({ work: undefined as unknown })
const script = new Script('work()')

/**
 * Runs `work` and throws if it takes longer. For patterns that a model wrote: some would block this process, with all
 * its agents, for ever.
 */
export function withinTime<T>(work: () => T, milliseconds: number): T {
  context.work = work
  try {
    return script.runInContext(context, { timeout: milliseconds })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw new PatternTooSlow(error)
  } finally {
    context.work = undefined
  }
}

class PatternTooSlow extends TeamError {
  readonly code = 'pattern_too_slow'
  constructor(cause: unknown) {
    super('The pattern takes too long to match. Make it simpler: fewer nested repeats like (a+)+ or a*a*.', { cause })
  }
}
