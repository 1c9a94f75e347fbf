import { firstOverlap, normalisePattern } from '../team/board/reservation.ts'

export interface PlannedFiles {
  readonly id: string
  readonly files: readonly string[]
}

/** Two tasks of one layer that cannot run side by side, because a claim reserves the files of its task. */
export interface FileConflict {
  readonly task: string
  /** The task it must wait for. */
  readonly with: string
  readonly path: string
}

/**
 * Which tasks of a layer run side by side when they are claimed in this order, and why the others wait. Linear in the
 * number of plain paths; patterns with wildcards are compared one by one.
 */
export function sideBySide(layer: readonly PlannedFiles[]): { together: string[]; conflicts: FileConflict[] } {
  const reserved = createReserved()
  const together: string[] = []
  const conflicts: FileConflict[] = []
  for (const { id, files } of layer) {
    const patterns = files.map((file) => normalisePattern(file) ?? file)
    const conflict = patterns.map((path) => ({ path, by: reserved.holderOf(path) })).find(({ by }) => by !== undefined)
    if (conflict) conflicts.push({ task: id, with: conflict.by!, path: conflict.path })
    else {
      for (const path of patterns) reserved.add(path, id)
      together.push(id)
    }
  }
  return { together, conflicts }
}

/** A folder or file by its segments; `holder` is any task that reserved it or something below it. */
interface Node {
  readonly children: Map<string, Node>
  holder: string
  /** Reserved itself, with everything below it. */
  isWhole: boolean
}

function createReserved() {
  const root: Node = { children: new Map(), holder: '', isWhole: false }
  const wild: { readonly pattern: string; readonly holder: string }[] = []
  const plain: { readonly pattern: string; readonly holder: string }[] = []
  return {
    holderOf(pattern: string): string | undefined {
      const others = isWild(pattern) ? [...plain, ...wild] : wild
      const found = others.find((other) => firstOverlap([pattern], [other.pattern]))
      return found?.holder ?? (isWild(pattern) ? undefined : plainHolder(root, segmentsOf(pattern)))
    },
    add(pattern: string, holder: string) {
      if (isWild(pattern)) wild.push({ pattern, holder })
      else {
        plain.push({ pattern, holder })
        reserve(root, segmentsOf(pattern), holder)
      }
    },
  }
}

function plainHolder(root: Node, segments: readonly string[]): string | undefined {
  let node = root
  for (const segment of segments) {
    if (node.isWhole) return node.holder
    const child = node.children.get(segment)
    if (!child) return undefined
    node = child
  }
  return node.isWhole || node.children.size > 0 ? node.holder : undefined
}

function reserve(root: Node, segments: readonly string[], holder: string): void {
  let node = root
  for (const segment of segments) {
    const child = node.children.get(segment) ?? { children: new Map(), holder, isWhole: false }
    node.children.set(segment, child)
    if (node.holder === '') node.holder = holder
    node = child
  }
  node.holder = holder
  node.isWhole = true
}

function isWild(pattern: string): boolean {
  return /[*?[{(]/.test(pattern)
}

/** Without case, as reservations compare. */
function segmentsOf(pattern: string): string[] {
  return pattern
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '' && part !== '.')
}
