import { diffLines } from 'diff'
import { type Drawn, draw, paint } from '../drawing/drawn.ts'
import { wrappedLines } from '../drawing/text-lines.ts'

/** What a call of a file tool changes. */
export interface FileChange {
  readonly path: string
  readonly added: number
  readonly removed: number
  readonly lines: readonly { readonly sign: '+' | '-' | ' '; readonly text: string }[]
}

/** Texts that differ in more lines are shown as wholly replaced. */
const MAX_EDIT_LENGTH = 2000
const CONTEXT_LINES = 2

/** Undefined for tools that change no file. */
export function fileChangeOf(tool: string, input: unknown): FileChange | undefined {
  const { path, old_text, new_text, content } = (input ?? {}) as Record<string, unknown>
  if (typeof path !== 'string') return undefined
  if (tool === 'edit_file' && typeof old_text === 'string' && typeof new_text === 'string')
    return changeBetween(path, old_text, new_text)
  if (tool === 'write_file' && typeof content === 'string') return changeBetween(path, '', content)
  return undefined
}

/** All lines of it, coloured; unchanged lines only near changed ones. */
export function changeLines({ lines }: FileChange, columns: number): Drawn[] {
  return lines.flatMap(({ sign, text }) =>
    wrappedLines(text, Math.max(1, columns - 4)).map((line, i) => {
      const marked = draw`  ${i === 0 ? sign : ' '} ${line}`
      return sign === '+' ? paint.green(marked) : sign === '-' ? paint.red(marked) : paint.dim(marked)
    }),
  )
}

function changeBetween(path: string, before: string, after: string): FileChange {
  const parts =
    diffLines(before, after, { maxEditLength: MAX_EDIT_LENGTH }) ??
    [
      { value: before, removed: true, added: false },
      { value: after, removed: false, added: true },
    ].filter(({ value }) => value !== '')
  const lines = parts.flatMap(({ value, added, removed }, i) => {
    const texts = value.replace(/\n$/, '').split('\n')
    const sign = added ? '+' : removed ? '-' : ' '
    const shown = sign === ' ' ? nearChanges(texts, i > 0, i < parts.length - 1) : texts
    return shown.map((text) => ({ sign, text }) as const)
  })
  const count = (sign: string) => lines.filter((line) => line.sign === sign).length
  return { path, added: count('+'), removed: count('-'), lines }
}

function nearChanges(texts: readonly string[], isAfter: boolean, isBefore: boolean): readonly string[] {
  const [top, bottom] = [isAfter ? CONTEXT_LINES : 0, isBefore ? CONTEXT_LINES : 0]
  if (texts.length <= top + bottom) return texts
  return [...texts.slice(0, top), '…', ...texts.slice(texts.length - bottom)]
}
