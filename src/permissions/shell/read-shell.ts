import { NotUnderstood } from './not-understood.ts'
import { readExpanded, readWord, type Source } from './read-word.ts'
import type { Assignment, Redirection, ShellLine, SimpleCommand, Word } from './word.ts'

/**
 * Reads a command line as bash would, as far as that can be done by reading. It looks for what would run, not for
 * mistakes: of a line that bash would refuse it may find commands, never the other way round. What it does not know
 * (`case`, functions, arithmetic, arrays …) makes the line unknown. Never throws.
 */
export function readShell(text: string, depth = 0): ShellLine {
  const found: Found = { commands: [], redirections: [] }
  try {
    if (text.length > LONGEST) throw new NotUnderstood('it is too long to be read')
    if (ODD.test(text)) throw new NotUnderstood('it holds characters that cannot be seen')
    const reader = new Reader(text, found, depth)
    reader.readList()
    reader.end()
    return { ...found, unknown: undefined }
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error
    return { ...found, unknown: error.message }
  }
}

const LONGEST = 100_000
const DEEPEST = 20
/** Some of these are blanks to a shell in some languages, and none to the eye. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ODD = /[\0-\x08\x0b-\x1f\x7f\x80-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]/

interface Found {
  readonly commands: SimpleCommand[]
  readonly redirections: Redirection[]
}

/** Begin a command, and another may stand right behind them. */
const PASSED_OVER = new Set(['if', 'then', 'elif', 'else', 'fi', 'while', 'until', 'do', 'done', '{', '}', '!'])
const UNKNOWN = new Set(['case', 'esac', 'select', 'function', '[[', ']]', 'coproc', 'in'])

class Reader implements Source {
  at = 0
  readonly text: string
  readonly found: Found
  readonly depth: number
  private readonly heredocs: Heredoc[] = []

  constructor(text: string, found: Found, depth: number) {
    if (depth > DEEPEST) throw new NotUnderstood('it is nested too deep')
    this.text = text
    this.found = found
    this.depth = depth
  }

  /** Up to the `)` that closes it, or to the end of the text. */
  readList(): void {
    for (;;) {
      this.skipBlank(true)
      const sign = this.text[this.at]
      if (sign === undefined || sign === ')') return
      if (sign === '(') this.readSubshell()
      else if (/[;&|]/.test(sign) && !this.text.startsWith('&>', this.at)) this.at++
      else this.readCommand()
    }
  }

  end(): void {
    if (this.at < this.text.length) throw new NotUnderstood('a ) stands where nothing was opened')
    if (this.heredocs.length > 0) throw new NotUnderstood('a heredoc has no end')
  }

  /** `$(…)`, `<(…)` and the like: everything up to the bracket that closes it. */
  readNested(): void {
    const inner = new Reader(this.text, this.found, this.depth + 1)
    inner.at = this.at
    inner.readList()
    if (this.text[inner.at] !== ')') throw new NotUnderstood('a ( has no end')
    if (inner.heredocs.length > 0) throw new NotUnderstood('a heredoc has no end')
    this.at = inner.at + 1
  }

  /** The inside of backquotes, or of a text that a shell is given. */
  readScript(script: string): void {
    const { commands, redirections, unknown } = readShell(script, this.depth + 1)
    this.found.commands.push(...commands)
    this.found.redirections.push(...redirections)
    if (unknown !== undefined) throw new NotUnderstood(unknown)
  }

  private readSubshell(): void {
    if (this.text.startsWith('((', this.at)) throw new NotUnderstood('it calculates')
    this.at++
    this.readNested()
  }

  private readCommand(): void {
    const assignments: Assignment[] = []
    const words: Word[] = []
    for (;;) {
      this.skipBlank(false)
      const sign = this.text[this.at]
      if (this.readRedirection()) continue
      if (sign === undefined || /[;&|\n)]/.test(sign)) break
      if (sign === '(') throw new NotUnderstood('it defines a function or an array')
      const word = readWord(this)
      if (/[<>]/.test(this.text[this.at] ?? '') && /^\d+$/.test(word.raw)) {
        this.readRedirection()
        continue
      }
      if (words.length === 0 && assignments.length === 0) {
        if (PASSED_OVER.has(word.raw)) return
        if (word.raw === 'for') return this.readFor()
        if (UNKNOWN.has(word.raw)) throw new NotUnderstood(`it says ${word.raw}`)
      }
      const assignment = words.length === 0 ? assignmentOf(word) : undefined
      if (assignment) assignments.push(assignment)
      else words.push(word)
    }
    if (words.length + assignments.length > 0) this.found.commands.push({ assignments, words })
  }

  /** `for x in a b`: what it goes through is looked at by nobody; what it does with it is a command of its own. */
  private readFor(): void {
    for (;;) {
      this.skipBlank(false)
      const sign = this.text[this.at]
      if (sign === undefined || /[;\n]/.test(sign)) return
      if (/[&|<>()]/.test(sign)) throw new NotUnderstood('it has a for of another kind')
      readWord(this)
    }
  }

  private readRedirection(): boolean {
    const [operator] = OPERATOR.exec(this.text.slice(this.at, this.at + 4)) ?? []
    if (operator === undefined || /^[<>]\($/.test(this.text.slice(this.at, this.at + 2))) return false
    this.at += operator.length
    this.skipBlank(false)
    const begin = this.at
    const target = readWord(this)
    if (begin === this.at) throw new NotUnderstood('a redirection leads nowhere')
    if (operator === '<<<') return true
    if (operator === '<<' || operator === '<<-') this.heredocs.push(heredocOf(target, operator === '<<-'))
    else if (!/^[<>]&$/.test(operator) || !/^(\d+-?|-)$/.test(target.raw))
      this.found.redirections.push({ kind: operator.startsWith('<') && operator !== '<>' ? 'read' : 'write', target })
    return true
  }

  /** Blanks, comments and lines that go on; with `lines` also their ends, behind which heredocs stand. */
  private skipBlank(lines: boolean): void {
    for (;;) {
      const sign = this.text[this.at]
      if (sign === ' ' || sign === '\t') this.at++
      else if (this.text.startsWith('\\\n', this.at)) this.at += 2
      else if (sign === '#' && /^$|[\s;&|()]/.test(this.text[this.at - 1] ?? '')) this.skipLine()
      else if (sign === '\n' && lines) {
        this.at++
        for (const heredoc of this.heredocs.splice(0)) this.readHeredoc(heredoc)
      } else return
    }
  }

  private skipLine(): void {
    const end = this.text.indexOf('\n', this.at)
    this.at = end === -1 ? this.text.length : end
  }

  private readHeredoc({ delimiter, isPlain, isIndented }: Heredoc): void {
    let body = ''
    while (this.at < this.text.length) {
      const begin = this.at
      this.skipLine()
      const line = this.text.slice(begin, this.at)
      this.at++
      if ((isIndented ? line.replace(/^\t+/, '') : line) === delimiter) {
        this.at = Math.min(this.at, this.text.length)
        if (!isPlain) this.readScriptsIn(body)
        return
      }
      body += `${line}\n`
    }
    throw new NotUnderstood('a heredoc has no end')
  }

  /** What a heredoc substitutes runs, as between double quotes. */
  private readScriptsIn(body: string): void {
    readExpanded(new Reader(body, this.found, this.depth + 1))
  }
}

const OPERATOR = /^(?:<<<|<<-|<<|<>|<&|<|&>>|&>|>>|>\||>&|>)/

interface Heredoc {
  readonly delimiter: string
  /** Quoted: nothing in it is substituted. */
  readonly isPlain: boolean
  readonly isIndented: boolean
}

function heredocOf({ raw, text }: Word, isIndented: boolean): Heredoc {
  if (text === undefined) throw new NotUnderstood('a heredoc has an odd delimiter')
  return { delimiter: text, isPlain: /['"\\]/.test(raw), isIndented }
}

function assignmentOf({ raw, text, ...rest }: Word): Assignment | undefined {
  const [head, name] = /^([A-Za-z_]\w*)\+?=/.exec(raw) ?? []
  if (head === undefined || name === undefined) {
    if (/^[A-Za-z_]\w*\[/.test(raw) && raw.includes('=')) throw new NotUnderstood('it uses an array')
    return undefined
  }
  const value = { ...rest, raw: raw.slice(head.length) }
  return { name, value: text === undefined ? value : { ...value, text: text.slice(head.length) } }
}
