import type { Assignment, Redirection, Word } from './word.ts'

/** A command line with everything that its commands run in turn. */
export interface Line {
  /** As it was given. */
  readonly text: string
  /** Every simple command in it, in order, also inside of substitutions, groups and loops. */
  readonly steps: readonly Step[]
  /** Why it is unknown which programs it starts, with which words. */
  readonly unknown: readonly string[]
  /** Why no rule with a pattern allows it although it is understood: it sets variables, it expands … */
  readonly special: readonly string[]
  /** Its steps run one after the other, each at most once: no loop, no pipe, nothing in the background. */
  readonly isStraight: boolean
}

/** One simple command; without words where a group, a loop or nothing is redirected. */
export interface Step {
  readonly words: readonly Word[]
  readonly assignments: readonly Assignment[]
  readonly redirections: readonly Redirection[]
  /** Where it may run; undefined if that cannot be known. */
  readonly folders: readonly string[] | undefined
  /** Runs what stands from that word on, -1 if it stands nowhere as such; one for each thing it runs. */
  readonly runs: readonly Run[]
  /** Runs something in its words, and only the program knows where that begins. */
  readonly runsSomewhere: boolean
  /** Why it may run something that cannot be seen from here. */
  readonly unknown: readonly string[]
}

export interface Run {
  readonly line: Line
  readonly at: number
  readonly isScript: boolean
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

/** Why a part of it is unknown; undefined where all of it is understood. */
export function unknownIn(line: Line): string | undefined {
  for (const { unknown } of linesOf(line)) if (unknown[0] !== undefined) return unknown[0]
  for (const { unknown } of stepsOf(line)) if (unknown[0] !== undefined) return unknown[0]
  return undefined
}
