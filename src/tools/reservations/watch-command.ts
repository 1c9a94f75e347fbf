import { relative } from 'node:path'
import { nameKey } from '../../team/name.ts'
import type { ToolContext } from '../tool.ts'
import { changedBetween, stampOf, stampReservedFiles } from './reserved-files.ts'

/** The reserved files around one command, from before it starts until it has ended. */
export interface CommandWatch extends Disposable {
  /** Keys of the names of agents whose commands ran at the same time. */
  readonly others: ReadonlySet<string>
  /** Which of the files changed since the start, relative to the root, and not by a file tool. */
  changed(): string[]
}

interface Running {
  readonly root: string
  readonly member: string
  readonly before: Map<string, string>
  readonly others: Set<string>
}

/** The commands of all agents of this process. */
const running = new Set<Running>()

/** `patterns` are what others reserve; without any, no file is looked at. */
export function watchCommand(
  { root, agent }: Pick<ToolContext, 'root' | 'agent'>,
  patterns: readonly string[],
): CommandWatch {
  const member = nameKey(agent)
  const mine: Running = { root, member, before: stampReservedFiles(root, patterns), others: new Set() }
  for (const other of running) {
    if (other.root !== root) continue
    other.others.add(member)
    mine.others.add(other.member)
  }
  running.add(mine)
  return {
    others: mine.others,
    changed: () => (patterns.length === 0 ? [] : changedBetween(mine.before, stampReservedFiles(root, patterns))),
    [Symbol.dispose]: () => void running.delete(mine),
  }
}

/** A file tool wrote this file: that is announced by itself, and is no work of the commands that run meanwhile. */
export function noteWritten(root: string, path: string): void {
  for (const { root: place, before } of running) {
    if (place !== root) continue
    const name = relative(root, path)
    const stamp = stampOf(root, name)
    if (stamp === undefined) before.delete(name)
    else before.set(name, stamp)
  }
}
