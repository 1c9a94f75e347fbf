import { forEachChild, type ParsedScript, parse, type SyntaxNode } from 'unbash'
import type { Folders } from './folders.ts'
import { insideOf } from './inside.ts'
import { type FoundHeredoc, scan } from './limits.ts'
import type { Line, Run, Step } from './line.ts'
import { isLoopVariable } from './variables.ts'
import { type Leaf, Walker } from './walker.ts'
import type { Word } from './word.ts'

export interface ReadOptions {
  /** Where the line begins. */
  readonly folders: Folders
  /** Whether programs are given a variable of this name. */
  isExported?(name: string): boolean
}

const DEEPEST = 8

/** Reads a command line to the bottom: what wrappers run, what shells are given, what is substituted. Never throws. */
export function readLine(text: string, options: ReadOptions = { folders: ['/'] }, depth = 0): Line {
  const nothing = (why: string): Line => ({ text, steps: [], unknown: [why], special: [], isStraight: false })
  if (depth > DEEPEST) return nothing('it is nested too deep')
  const { code, heredocs, tooMuch } = scan(text)
  if (tooMuch !== undefined) return nothing(tooMuch)
  try {
    const script = parse(code)
    if (!isSame(heredocs, script)) return nothing('it has a heredoc of another kind')
    const isExported = options.isExported ?? ((name) => process.env[name] !== undefined)
    const walker = new Walker(code, (name) => isLoopVariable(name, isExported))
    if (endsOpen(code)) walker.unknown.push('it ends with a backslash')
    walker.walkScript(script, options.folders)
    const steps = walker.leaves.map((leaf): Step => stepOf(leaf, options, depth))
    const { unknown, special, isStraight } = walker
    return { text, steps, unknown, special, isStraight }
  } catch (error) {
    // The parser goes down into what is nested, and so do we; what is too deep for the stack is too deep to be read.
    if (error instanceof RangeError) return nothing('it is nested too deep')
    throw error
  }
}

function endsOpen(code: string): boolean {
  let at = code.length
  while (code[at - 1] === '\\') at--
  return (code.length - at) % 2 === 1
}

function stepOf(leaf: Leaf, options: ReadOptions, depth: number): Step {
  const inside = insideOf(leaf.words)
  const within = { ...options, folders: leaf.folders }
  return {
    ...leaf,
    runs: inside.flatMap((one): Run[] => {
      if (one.kind === 'script') return [{ line: readLine(one.script, within, depth + 1), at: one.at, isScript: true }]
      if (one.kind !== 'words') return []
      return [{ line: lineOf(one.words, within, depth + 1), at: one.at, isScript: false }]
    }),
    runsSomewhere: inside.some(({ kind }) => kind === 'suffixes'),
    unknown: inside.flatMap((one) => (one.kind === 'unknown' ? [one.why] : [])),
  }
}

function lineOf(words: readonly Word[], options: ReadOptions, depth: number): Line {
  if (depth > DEEPEST) return readLine('', options, depth)
  const leaf = { words, assignments: [], redirections: [], folders: options.folders }
  return { text: '', steps: [stepOf(leaf, options, depth)], unknown: [], special: [], isStraight: true }
}

/** Whether the parser found the heredocs that were cut out before it, and no other. */
function isSame(found: readonly FoundHeredoc[], script: ParsedScript): boolean {
  const parsed: FoundHeredoc[] = []
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'HereDoc') parsed.push({ pos: node.delimiter?.pos ?? -1, delimiter: node.delimiter?.value ?? '' })
    forEachChild(node, visit)
  }
  visit(script)
  if (parsed.length !== found.length) return false
  const inOrder = parsed.sort((a, b) => a.pos - b.pos)
  const wanted = [...found].sort((a, b) => a.pos - b.pos)
  return inOrder.every(({ pos, delimiter }, i) => pos === wanted[i]!.pos && delimiter === wanted[i]!.delimiter)
}
