import { insideOf, programOf } from './inside.ts'
import { readShell } from './read-shell.ts'
import type { Assignment, Redirection, Word } from './word.ts'
import { INTERPRETERS } from './wrappers.ts'

/** A command line with everything that its commands run in turn. */
export interface Line {
  readonly steps: readonly Step[]
  readonly redirections: readonly Redirection[]
  /** What was not understood of it. */
  readonly unknown: readonly string[]
}

/** One simple command. */
export interface Step {
  readonly words: readonly Word[]
  readonly assignments: readonly Assignment[]
  /** Runs what stands from that word on, -1 if it stands nowhere as such; one for each thing it runs. */
  readonly runs: readonly { readonly line: Line; readonly at: number; readonly isScript: boolean }[]
  /** Runs something in its words, nobody knows where that begins. */
  readonly runsSomewhere: boolean
  /** Why it may run something that cannot be seen from here. */
  readonly unknown: readonly string[]
}

const DEEPEST = 8

/** Reads a command line to the bottom: what wrappers run, what shells are given, what is substituted. Never throws. */
export function readLine(text: string, depth = 0): Line {
  if (depth > DEEPEST) return { steps: [], redirections: [], unknown: ['it is nested too deep'] }
  const { commands, redirections, unknown } = readShell(text)
  return {
    steps: commands.map(({ words, assignments }) => stepOf(words, assignments, depth)),
    redirections,
    unknown: unknown === undefined ? [] : [unknown],
  }
}

/** Every step of it, at whatever depth. */
export function* stepsOf(line: Line): Generator<Step> {
  for (const step of line.steps) {
    yield step
    for (const { line: inner } of step.runs) yield* stepsOf(inner)
  }
}

export function* linesOf(line: Line): Generator<Line> {
  yield line
  for (const step of line.steps) for (const { line: inner } of step.runs) yield* linesOf(inner)
}

/** Why nobody can say what all of it does; undefined if one can. */
export function unknownIn(line: Line): string | undefined {
  for (const { unknown } of linesOf(line)) if (unknown[0] !== undefined) return unknown[0]
  for (const { unknown } of stepsOf(line)) if (unknown[0] !== undefined) return unknown[0]
  return undefined
}

function stepOf(words: readonly Word[], assignments: readonly Assignment[], depth: number): Step {
  const inside = insideOf(words)
  return {
    words,
    assignments,
    runs: inside.flatMap((one): Step['runs'] => {
      if (one.kind === 'script') return [{ line: readLine(one.script, depth + 1), at: one.at, isScript: true }]
      if (one.kind !== 'words') return []
      const line = depth < DEEPEST ? alone(stepOf(one.words, [], depth + 1)) : readLine('', depth + 1)
      return [{ line, at: one.at, isScript: false }]
    }),
    runsSomewhere: inside.some(({ kind }) => kind === 'suffixes'),
    unknown: inside.flatMap((one) => (one.kind === 'unknown' ? [one.why] : [])),
  }
}

function alone(step: Step): Line {
  return { steps: [step], redirections: [], unknown: [] }
}

/** Whether it is given a program in another language, in which anything may stand. */
export function isInterpreting({ words }: Step): boolean {
  const code = INTERPRETERS.get(programOf(words) ?? '')
  return code !== undefined && words.slice(1).some(({ text }) => text === undefined || code.test(text))
}
