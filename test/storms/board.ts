import type { TaskDraft } from '../../src/team/task.ts'
import type { Random } from './random.ts'

/** Tasks in layers: those of one layer wait for some of the layer before. Some have files, some share them. */
export interface Board {
  readonly drafts: readonly TaskDraft[]
  /** By task id: the files it reserves, written out one by one. */
  readonly files: ReadonlyMap<string, ReadonlySet<string>>
  /** By task id: what must be completed before. */
  readonly waitsFor: ReadonlyMap<string, readonly string[]>
}

const PACKAGES = 12
const FOLDERS = 4
const NAMES = 8
const LAYER = 60

export function makeBoard(count: number, random: Random): Board {
  const drafts: TaskDraft[] = []
  const files = new Map<string, Set<string>>()
  const waitsFor = new Map<string, string[]>()
  for (let number = 1; number <= count; number++) {
    const before = Math.floor((number - 1) / LAYER) * LAYER
    const wanted = before === 0 ? 0 : random.below(3)
    const blockedBy = [...new Set(Array.from({ length: wanted }, () => String(before - random.below(LAYER))))]
    const patterns = random.below(3) === 0 ? [] : Array.from({ length: 1 + random.below(2) }, () => pattern(random))
    const id = String(number)
    drafts.push({
      subject: `task ${id}`,
      blockedBy,
      files: patterns.map((one) => one.text),
      priority: random.below(10),
    })
    files.set(id, new Set(patterns.flatMap((one) => one.covers)))
    waitsFor.set(id, blockedBy)
  }
  return { drafts, files, waitsFor }
}

/** A pattern with all it covers, known by how it was made: nothing here asks the code under test what overlaps. */
function pattern(random: Random): { text: string; covers: string[] } {
  const home = `src/p${random.below(PACKAGES)}`
  const folder = `${home}/d${random.below(FOLDERS)}`
  const name = `f${random.below(NAMES)}.ts`
  const inFolder = Array.from({ length: NAMES }, (_, other) => `${folder}/f${other}.ts`)
  switch (random.below(5)) {
    case 0:
      return { text: `${folder}/`, covers: inFolder }
    case 1:
      return { text: `${folder}/*.ts`, covers: inFolder }
    case 2:
      return {
        text: `${home}/**/${name}`,
        covers: Array.from({ length: FOLDERS }, (_, other) => `${home}/d${other}/${name}`),
      }
    default:
      return { text: `./${folder}/${name}`, covers: [`${folder}/${name}`] }
  }
}
