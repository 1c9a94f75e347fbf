import type {
  Command,
  CommandNode,
  CompoundList,
  Assignment as ParsedAssignment,
  Redirection as ParsedRedirection,
  ParsedScript,
  Word as ParsedWord,
  PipelineNode,
  Statement,
  TestExpression,
} from 'unbash'
import { eitherOf, type Flow, type Folders, movedBy, unmoved } from './folders.ts'
import type { Step } from './line.ts'
import { readPart, readWord, type WordReader } from './read-word.ts'
import { isOrdinaryVariable } from './variables.ts'
import type { Redirection, Word } from './word.ts'

/** A simple command before it is known what it runs in turn. */
export type Leaf = Omit<Step, 'runs' | 'runsSomewhere' | 'unknown'>
type Loops = ReadonlyMap<string, readonly Word[]>

/** What is true where a command stands. */
interface Scope {
  readonly loops: Loops
  /** A `cd` here would be the start of the next round. */
  readonly isRepeated: boolean
}

const OUTSIDE: Scope = { loops: new Map(), isRepeated: false }

/** Goes through the parser's tree and collects simple commands, with where each of them may run. */
export class Walker {
  readonly leaves: Leaf[] = []
  readonly unknown: string[] = []
  readonly special: string[] = []
  /** See `Line`. */
  isStraight = true
  private readonly mayLoop: (name: string) => boolean
  /** What the positions in the tree are about. */
  private source: string

  constructor(source: string, mayLoop: (name: string) => boolean) {
    this.source = source
    this.mayLoop = mayLoop
  }

  walkScript(script: ParsedScript, folders: Folders, scope: Scope = OUTSIDE): Folders {
    if (script.errors?.length) this.unknown.push(`bash would not read it (${script.errors[0]!.message})`)
    const around = this.source
    this.source = script.source ?? around
    const last = script.commands.at(-1)
    const [behind = ''] = last ? this.source.slice(last.end, script.end).split('\n', 1) : []
    if (!/^[ \t;&]*(#|$)/.test(behind)) this.unknown.push('a part of it was not read')
    const end = this.walkStatements(script.commands, folders, scope)
    this.source = around
    return end
  }

  private walkStatements(statements: readonly Statement[], folders: Folders, scope: Scope): Folders {
    let at = folders
    for (const { command, background } of statements) {
      if (background) this.isStraight = false
      const { done, failed } = this.walk(command, at, background ? { ...scope, isRepeated: false } : scope)
      if (!background) at = eitherOf(done, failed)
    }
    return at
  }

  private walkList({ commands }: CompoundList, folders: Folders, scope: Scope): Folders {
    return this.walkStatements(commands, folders, scope)
  }

  private walk(node: Statement['command'], folders: Folders, scope: Scope): Flow {
    switch (node.type) {
      case 'AndOr': {
        let flow = this.walk(node.commands[0]!, folders, scope)
        node.operators.forEach((operator, i) => {
          const next = node.commands[i + 1]
          if (!next) return
          const isAnd = operator === '&&'
          const then = this.walk(next, isAnd ? flow.done : flow.failed, scope)
          flow = isAnd
            ? { done: then.done, failed: eitherOf(flow.failed, then.failed) }
            : { done: eitherOf(flow.done, then.done), failed: then.failed }
        })
        return flow
      }
      case 'Pipeline':
        return this.walkPipeline(node.commands, folders, scope)
      default:
        return this.walkCommand(node, folders, scope)
    }
  }

  /** Every part of a pipe runs in a shell of its own, which may end in another folder. */
  private walkPipeline(commands: readonly PipelineNode[], folders: Folders, scope: Scope): Flow {
    if (commands.length <= 1) {
      if (!commands[0]) return unmoved(folders)
      const { done, failed } = this.walk(commands[0], folders, scope)
      return unmoved(eitherOf(done, failed))
    }
    this.isStraight = false
    for (const command of commands) this.walk(command, folders, { ...scope, isRepeated: false })
    return unmoved(folders)
  }

  private walkCommand(node: CommandNode, folders: Folders, scope: Scope): Flow {
    switch (node.type) {
      case 'Command':
        return this.walkSimple(node, folders, scope)
      case 'Redirected':
        this.leaves.push({
          words: [],
          assignments: [],
          folders,
          redirections: this.redirected(node.redirects, folders, scope),
        })
        return this.walkCommand(node.command, folders, scope)
      case 'Subshell':
        this.walkList(node.body, folders, { ...scope, isRepeated: false })
        return unmoved(folders)
      case 'BraceGroup':
        return unmoved(this.walkList(node.body, folders, scope))
      case 'If': {
        const ends: Folders[] = []
        let at = this.walkList(node.clause, folders, scope)
        ends.push(this.walkList(node.then, at, scope))
        for (const { clause, then } of node.elif) {
          at = this.walkList(clause, at, scope)
          ends.push(this.walkList(then, at, scope))
        }
        ends.push(node.else ? this.walkList(node.else, at, scope) : at)
        return unmoved(eitherOf(...ends))
      }
      case 'While': {
        this.isStraight = false
        const repeated = { ...scope, isRepeated: true }
        return unmoved(
          eitherOf(folders, this.walkList(node.body, this.walkList(node.clause, folders, repeated), repeated)),
        )
      }
      case 'For':
        return unmoved(this.walkFor(node.name.text, node.wordlist, node.body, folders, scope))
      case 'Case': {
        this.plainWord(node.word, folders, scope)
        const ends = node.items.map(({ pattern, body, terminator }) => {
          for (const word of pattern) this.plainWord(word, folders, scope)
          if (terminator !== undefined && terminator !== ';;') this.unknown.push(`it says ${terminator}`)
          return this.walkList(body, folders, scope)
        })
        return unmoved(eitherOf(folders, ...ends))
      }
      case 'TestCommand':
        this.walkTest(node.expression, folders, scope)
        return unmoved(folders)
      case 'Function':
        this.unknown.push('it defines a function')
        this.walkBody(node.body, folders, scope)
        return unmoved(folders)
      case 'Coproc':
        this.unknown.push('it starts a coprocess')
        this.walkBody(node.body, folders, scope)
        return unmoved(folders)
      case 'Select':
        this.unknown.push('it says select')
        this.walkList(node.body, folders, { ...scope, isRepeated: true })
        return unmoved(folders)
      case 'ArithmeticFor':
        this.unknown.push('it calculates')
        this.walkList(node.body, folders, { ...scope, isRepeated: true })
        return unmoved(folders)
      default:
        this.unknown.push('it calculates')
        return unmoved(folders)
    }
  }

  private walkBody(body: CommandNode | CompoundList, folders: Folders, scope: Scope): void {
    if (body.type === 'CompoundList') this.walkList(body, folders, { ...scope, isRepeated: true })
    else this.walkCommand(body, folders, { ...scope, isRepeated: true })
  }

  /** The variable of a loop is set like any other: only a name that means nothing to any program is harmless. */
  private walkFor(
    name: string,
    wordlist: readonly ParsedWord[] | undefined,
    body: CompoundList,
    folders: Folders,
    scope: Scope,
  ): Folders {
    this.isStraight = false
    const words = (wordlist ?? []).map((word) => this.word(word, folders, scope))
    if (!isOrdinaryVariable(name)) this.unknown.push(`it sets ${name}`)
    const loops = new Map(scope.loops)
    loops.delete(name)
    if (wordlist && this.mayLoop(name) && words.length <= MAX_LOOP_WORDS && words.every(isLooped))
      loops.set(name, words)
    else this.special.push(`its loop over ${name} is not one over plain words`)
    return eitherOf(folders, this.walkList(body, folders, { loops, isRepeated: true }))
  }

  private walkSimple(node: Command, folders: Folders, scope: Scope): Flow {
    if (!this.isWhole(node)) this.unknown.push('a part of it was not read')
    const words = node.name ? [this.word(node.name, folders, scope)] : []
    const assignments: { name: string; value: Word }[] = []
    const note = (assignment: ParsedAssignment) => assignments.push(this.assignment(assignment, folders, scope))
    for (const one of node.prefix) if (one.type === 'Assignment') note(one)
    for (const one of node.args) {
      if (one.type === 'Word') words.push(this.word(one, folders, scope))
      else if (SETTERS.has(node.name?.text ?? '')) note(one)
      else words.push(this.argument(one, folders, scope))
    }
    const redirections = this.redirected(node.redirects, folders, scope)
    this.leaves.push({ words, assignments, redirections, folders })
    const flow = movedBy(words, folders)
    if ((flow.done !== folders || flow.failed !== folders) && scope.isRepeated)
      this.unknown.push('it changes the folder inside of a loop')
    return flow
  }

  /** The parser forgives much: whatever it passed over inside of a command makes that command unknown. */
  private isWhole({ name, prefix, suffix, end }: Command): boolean {
    // bash takes `{name}` right before a redirection for a variable to set, also where the name is an index.
    const sets = [...(name ? [name] : []), ...suffix].some(
      (part) =>
        part.type === 'Word' &&
        part.text.startsWith('{') &&
        part.text.endsWith('}') &&
        /[<>]/.test(this.source[part.end] ?? ''),
    )
    if (sets) return false
    const parts = [...prefix, ...(name ? [name] : []), ...suffix].sort((a, b) => a.pos - b.pos)
    const isBlank = (from: number, to: number) => /^(?:[ \t]|\\\n)*$/.test(this.source.slice(from, to))
    const last = parts.at(-1)
    if (last && last.type !== 'HereDoc' && !isBlank(last.end, end)) return false
    return parts.every((part, i) => i === 0 || isBlank(parts[i - 1]!.end, part.pos))
  }

  /** `a=b` behind a program is a word like any other, but the parser reads it as an assignment. */
  private argument(node: ParsedAssignment, folders: Folders, scope: Scope): Word {
    const { value, index, text } = node
    if (index || value.type !== 'Word') {
      this.unknown.push('it uses an array')
      return { raw: text }
    }
    const inner = this.word(value, folders, scope)
    const head = text.slice(0, text.length - inner.raw.length)
    if (inner.text === undefined || !/^\w+\+?=$/.test(head) || inner.raw.startsWith('~')) return { raw: text }
    return { raw: text, text: head + inner.text }
  }

  private assignment(node: ParsedAssignment, folders: Folders, scope: Scope): { name: string; value: Word } {
    const { name, value, index } = node
    this.special.push(`it sets ${name}`)
    if (!isOrdinaryVariable(name)) this.unknown.push(`it sets ${name}`)
    if (index || value.type !== 'Word') {
      this.unknown.push('it uses an array')
      return { name, value: { raw: node.text } }
    }
    return { name, value: this.word(value, folders, scope) }
  }

  private redirected(all: readonly ParsedRedirection[], folders: Folders, scope: Scope): Redirection[] {
    return all.flatMap((one): Redirection[] => {
      const { descriptor } = one
      if (descriptor?.type === 'FileDescriptorVariable')
        this.unknown.push(`it sets ${descriptor.name} by a redirection`)
      if (one.type === 'HereDoc') {
        if (!one.closing || !one.delimiter) this.unknown.push('a heredoc has no end')
        for (const part of one.delimiter?.quoted ? [] : (one.body.parts ?? [])) {
          if (part.type !== 'Literal') this.special.push('a heredoc without quotes expands')
          readPart(part, this.reader(folders, scope))
        }
        return []
      }
      if (!one.target) {
        this.unknown.push('a redirection leads nowhere')
        return []
      }
      if (one.type === 'HereString') {
        this.plainWord(one.target, folders, scope)
        return []
      }
      const target = this.word(one.target, folders, scope)
      if (/^[<>]&$/.test(one.operator) && /^(\d+-?|-)$/.test(target.raw)) return []
      return [{ kind: one.operator.startsWith('<') && one.operator !== '<>' ? 'read' : 'write', target }]
    })
  }

  /** Only what looks at texts and files; `-v` and comparisons of numbers calculate, and so run what stands in an index. */
  private walkTest(node: TestExpression, folders: Folders, scope: Scope): void {
    switch (node.type) {
      case 'TestUnary':
        if (!/^-[nzefdrwxsLhp]$/.test(node.operator)) this.unknown.push(`it says [[ ${node.operator}`)
        this.plainWord(node.operand, folders, scope)
        return
      case 'TestBinary':
        if (!/^(==?|!=|<|>|=~|-nt|-ot|-ef)$/.test(node.operator)) this.unknown.push(`it says [[ ${node.operator}`)
        this.plainWord(node.left, folders, scope)
        this.plainWord(node.right, folders, scope)
        return
      case 'TestLogical':
        for (const operand of node.operands) this.walkTest(operand, folders, scope)
        return
      case 'TestNot':
        return this.walkTest(node.operand, folders, scope)
      default:
        return this.walkTest(node.expression, folders, scope)
    }
  }

  /** A word that no program gets, but that must still be plain. */
  private plainWord(word: ParsedWord, folders: Folders, scope: Scope): void {
    const { text, glob, loop } = this.word(word, folders, scope)
    if (text === undefined && glob === undefined && !loop) this.special.push('it expands something')
  }

  private word(word: ParsedWord, folders: Folders, scope: Scope): Word {
    return readWord(word, this.reader(folders, scope))
  }

  private reader(folders: Folders, scope: Scope): WordReader {
    return {
      loops: scope.loops,
      script: (script) => {
        if (script) this.walkScript(script, folders, { ...scope, isRepeated: false })
        else this.unknown.push('a part of it could not be read')
      },
      unknown: (why) => this.unknown.push(why),
      assigns: (name) => {
        this.special.push(`it sets ${name}`)
        if (!isOrdinaryVariable(name)) this.unknown.push(`it sets ${name}`)
      },
    }
  }
}

/** Each of them is judged wherever the variable stands, so there must not be many. */
const MAX_LOOP_WORDS = 32

/** Builtins whose words set variables. */
const SETTERS: ReadonlySet<string> = new Set('declare export local readonly typeset'.split(' '))

/** A word a loop may go through: none that could be taken for an option. */
function isLooped({ raw, text, glob }: Word): boolean {
  const known = text ?? glob
  if (known === undefined) return /^\{\d{1,4}\.\.\d{1,4}\}$/.test(raw)
  return known !== '' && !/^[-*?[]/.test(known)
}
