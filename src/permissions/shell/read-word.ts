import type { Word as Parsed, ParsedScript, WordPart } from 'unbash'
import { plainText } from './plain-text.ts'
import type { Word } from './word.ts'

/** What a word is read for, besides its text. */
export interface WordReader {
  /** What the loops around it go through, by the name of their variable. */
  readonly loops: ReadonlyMap<string, readonly Word[]>
  /** Commands inside of it; undefined where they could not be parsed. */
  script(script: ParsedScript | undefined): void
  /** Why it is unknown what it runs. */
  unknown(why: string): void
  /** Sets a variable by `${name:=value}`. */
  assigns(name: string): void
}

/** A word of the parser's tree, with everything reported that it would run. */
export function readWord(word: Parsed, reader: WordReader): Word {
  const raw = word.text
  for (const part of word.parts ?? []) readPart(part, reader)
  const plain = plainText(raw)
  if (plain) {
    if (!(word.parts ?? []).every(isPlain)) return { raw }
    if (plain.isGlob) return { raw, glob: plain.text }
    return word.value === plain.text ? { raw, text: plain.text } : { raw }
  }
  const name = /^"\$([a-z][a-z0-9_]*)"$/.exec(raw)?.[1]
  const loop = name === undefined ? undefined : reader.loops.get(name)
  if (loop) return { raw, loop }
  if (isOneScript(word.parts)) return { raw, isScript: true }
  return raw.includes('$?') && plainText(raw.replaceAll('$?', '0'))?.isGlob === false
    ? { raw, isStatus: true }
    : { raw }
}

function isPlain(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.every(({ type }) => type === 'Literal')
  if (part.type === 'Glob') return part.parts?.every(isPlain) ?? true
  return part.type === 'Literal' || part.type === 'SingleQuoted'
}

function isOneScript(parts: readonly WordPart[] | undefined): boolean {
  const [only, ...others] = parts ?? []
  if (only?.type !== 'DoubleQuoted' || others.length > 0 || only.parts.length !== 1) return false
  const [inside] = only.parts
  return inside?.type === 'CommandExpansion' && inside.text.startsWith('$(')
}

export function readPart(part: WordPart, reader: WordReader): void {
  switch (part.type) {
    case 'DoubleQuoted':
    case 'LocaleString':
    case 'Glob':
    case 'BraceExpansion':
    case 'ExtendedGlob':
      for (const inner of part.parts ?? []) readPart(inner, reader)
      return
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      return reader.script(part.script)
    case 'ArithmeticExpansion':
      // A name in it is looked up and calculated in turn, and so is an index.
      if (!/^\$(\(\(|\[)[\d\s+*/%()-]*(\)\)|\])$/.test(part.text)) reader.unknown('it calculates')
      return
    case 'ParameterExpansion':
      return readParameter(part, reader)
    default:
      return
  }
}

function readParameter(part: Extract<WordPart, { type: 'ParameterExpansion' }>, reader: WordReader): void {
  const { operation, index, prefix } = part
  if (prefix === '!') reader.unknown('it uses a variable by the name in another')
  if (index && !/^(\d+|[@*])$/.test(index.text)) reader.unknown('it uses an array with an index that is calculated')
  if (!operation) return
  switch (operation.type) {
    case 'Default':
      if (operation.operator.endsWith('=')) reader.assigns(part.parameter)
      readWord(operation.operand, reader)
      return
    case 'Remove':
      readWord(operation.operand, reader)
      return
    case 'Replace':
      readWord(operation.pattern, reader)
      readWord(operation.replacement, reader)
      return
    case 'Slice': {
      const numbers = [operation.offset, operation.length].flatMap((word) => (word ? [word.text.trim()] : []))
      if (!numbers.every((text) => /^-?\d+$/.test(text))) reader.unknown('it calculates where to cut a text')
      return
    }
    case 'CaseModification':
      if (operation.operand) readWord(operation.operand, reader)
      return
    default:
      reader.unknown('it has an expansion that may run something')
  }
}
