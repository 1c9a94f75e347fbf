import { join } from 'node:path'
import type { Cursor } from '../../../journal/log/cursor.ts'
import { type TaskView, taskView, teamView } from '../../../team/answers/view.ts'
import type { TeamState } from '../../../team/state.ts'
import { planOf, type Task, TaskId } from '../../../team/task.ts'
import { type StagedFolder, stageFolder } from './staged-folder.ts'
import { openViewFiles, type ViewFile, type ViewFilesOptions } from './view-files.ts'

/** `config.json` (the roster) and one file per task. */
export interface BoardViews {
  /** Writes what shows this state. The text of a file is made when it is written: of a large board only one is in memory. */
  show(state: TeamState, cursor: Cursor): void
  /** The same as one step per file, to be run in this order. */
  steps(state: TeamState, cursor: Cursor): readonly Step[]
  /** The `seq` up to which the files say they are complete; 0 if they do not say. */
  writtenTo(): number
  differences(state: TeamState, cursor: Cursor): string[]
  repair(state: TeamState, cursor: Cursor): void
}

/** Writes the text of the moment when the step was made, however the state has changed since. */
export type Step = () => void

/** What the steps of one call have in common. */
interface Update {
  readonly state: TeamState
  readonly isForced: boolean
  /** Tasks that have a step already. */
  readonly written: Set<TaskId>
  readonly read: ReadTask
  readonly staged: StagedFolder | undefined
}

/** Reads the file of a task, once per update. */
type ReadTask = (id: TaskId) => ViewFile | undefined

/** Of the file of a task. */
interface Content {
  readonly text: string
  readonly seq: number
}

type Seen = Pick<TaskView, 'status' | 'blockedBy'>

/**
 * `seq` in config.json says up to where all files are right. It is written last: a process that dies before leaves an older
 * one, and the next process writes what is missing. A process relies on what it wrote itself; that corrects an older state
 * which another process put over a newer one between its read and its write.
 */
export function openBoardViews(
  options: ViewFilesOptions & { readonly dir: string; readonly team: string },
): BoardViews {
  const { dir, team, disk, ids } = options
  const config = join(dir, '.teams', team, 'config.json')
  const board = join(dir, '.tasks', team)
  const files = openViewFiles(options)
  const taskPath = (id: string) => `${board}/${id}.json`
  let writtenTo: number | undefined
  let shownTasks: Set<TaskId> | undefined
  let shownRoster = ''
  let staged: StagedFolder | undefined
  /** Tasks whose file differed from the journal although its `seq` was right. */
  const doubtful = new Set<TaskId>()

  return {
    show(state, cursor) {
      for (const step of stepsTo(state, cursor)) step()
    },

    steps: (state, cursor) => [...stepsTo(state, cursor)],

    repair(state, cursor) {
      shownTasks = undefined
      shownRoster = ''
      files.sweep(board)
      files.sweep(join(dir, '.teams', team))
      for (const step of planSteps(state, cursor, -1, true)) step()
    },

    writtenTo() {
      const there = files.peek(config)
      return there === undefined || there === 'broken' ? 0 : seqOf(there.value)
    },

    differences(state, cursor) {
      const found: string[] = []
      const there = files.peek(config)
      if (there === undefined) found.push(`${config}: missing`)
      else if (there === 'broken') found.push(`${config}: cannot be read`)
      else if (seqOf(there.value) > cursor.seq)
        found.push(`${config}: shows seq ${seqOf(there.value)}, the journal ends at ${cursor.seq}`)
      else if (there.text !== configText(state, seqOf(there.value))) found.push(`${config}: differs from the journal`)
      for (const task of state.tasks.values()) {
        const file = files.peek(taskPath(task.id))
        if (file === undefined) found.push(`${taskPath(task.id)}: missing`)
        else if (file === 'broken') found.push(`${taskPath(task.id)}: cannot be read`)
        else if (file.text !== taskText(state, task)) found.push(`${taskPath(task.id)}: differs from the journal`)
      }
      for (const id of idsOnDisk()) if (!state.tasks.has(id)) found.push(`${taskPath(id)}: there is no such task`)
      return found
    },
  }

  function stepsTo(state: TeamState, cursor: Cursor): Iterable<Step> {
    if (writtenTo === cursor.seq) return []
    const from = writtenTo ?? seqOf(files.read(config)?.value)
    // The files are ahead of this state: another process knows more, or an older journal was restored.
    const isOlder = from > cursor.seq && from > (disk.statSync(join(dir, '.teams', team, 'journal.jsonl'))?.size ?? 0)
    if (from > cursor.seq && !isOlder) return []
    return planSteps(state, cursor, isOlder ? -1 : from, isOlder)
  }

  function* planSteps(state: TeamState, cursor: Cursor, from: number, isForced: boolean): Iterable<Step> {
    // Once per process, unless the files are up to date: list which tasks have a file and which were deleted.
    const listed = isForced || (shownTasks === undefined && from !== cursor.seq) ? idsOnDisk() : undefined
    const isListed = listed && new Set(listed)
    const readFiles = new Map<string, ViewFile | undefined>()
    const read: ReadTask = (id) => {
      if (staged || isListed?.has(id) === false) return undefined
      if (!readFiles.has(id)) readFiles.set(id, readTask(id, shownTasks?.has(id) === false))
      return readFiles.get(id)
    }
    const changed: Task[] = []
    for (const task of state.tasks.values()) if (task.seq > from || isListed?.has(task.id) === false) changed.push(task)
    const gone = listed ? listed.filter((id) => !state.tasks.has(id)) : deletedSince(state, changed)
    // Left by steps that failed.
    staged?.discard()
    staged = changed.length >= MIN_STAGED_TASKS && isBoardMissing(listed) ? stageBoard() : undefined
    const written = new Set<TaskId>()
    const update = { state, isForced, written, read, staged }
    yield* taskSteps(update, changed, gone)
    if (staged) yield placeStep(staged, update)
    if (listed && state.tasks.size <= MAX_COMPARED_TASKS) {
      for (const task of state.tasks.values())
        if (!written.has(task.id) && read(task.id)?.text !== taskText(state, task)) doubtful.add(task.id)
    }
    // Checked again each time: another process that knew more may have written the differing file.
    for (const id of doubtful) if (!written.has(id)) yield* taskStep(update, state.tasks.get(id))
    const all = shownTasks ?? new Set(state.tasks.keys())
    const writeConfig = configStep(state, cursor, isForced, changed.length + gone.length > 0)
    yield () => {
      writeConfig()
      shownTasks ??= all
      writtenTo = cursor.seq
    }
  }

  /** Neighbours first: until the task itself is written, every process sees that something is left to do. */
  function* taskSteps(update: Update, changed: readonly Task[], gone: readonly TaskId[]): Iterable<Step> {
    const { state, read } = update
    const neighbours = new Set<string>()
    // With all tasks changed, and none of them on disk before, there is no other file to write.
    const isNewBoard = update.staged !== undefined && changed.length === state.tasks.size && gone.length === 0
    /** Of each the tasks that wait for it are listed once, however many of its own tasks changed. */
    const plans = new Set<string>()
    const moved = isNewBoard
      ? []
      : [...changed.map((task) => ({ id: task.id, next: task })), ...gone.map((id) => ({ id, next: undefined }))]
    for (const { id, next } of moved) {
      const before = read(id)?.value as Partial<TaskView> | undefined
      for (const other of touched(state, id, before, next)) neighbours.add(other)
      const plan = planOf(id)
      if (plan !== undefined && changesPlan(state, plan, before, next)) plans.add(plan)
    }
    for (const plan of plans) for (const other of state.index.dependents.of(plan)) neighbours.add(other)
    for (const { id } of changed) neighbours.delete(id)
    for (const id of neighbours) yield* taskStep(update, state.tasks.get(id))
    for (const id of gone) {
      yield () => {
        files.remove(taskPath(id))
        shownTasks?.delete(id)
      }
    }
    for (const task of changed) yield* taskStep(update, task)
  }

  function isBoardMissing(listed: readonly TaskId[] | undefined): boolean {
    return (listed?.length ?? shownTasks?.size) === 0 && disk.statSync(board) === undefined
  }

  /** In the folder of the team: what is left after a crash is removed with the team, or swept by a repair. */
  function stageBoard(): StagedFolder {
    return stageFolder(disk, board, join(dir, '.teams', team, `tasks.${ids()}.new`))
  }

  function placeStep(folder: StagedFolder, update: Update): Step {
    return () => {
      staged = undefined
      const isPlaced = folder.putInPlace()
      for (const id of update.written) {
        if (isPlaced) shownTasks?.add(id)
        else writeTask(update, id, parsed(folder.read(`${id}.json`)), true)
      }
      if (!isPlaced) folder.discard()
    }
  }

  function* taskStep(update: Update, task: Task | undefined): Iterable<Step> {
    if (!task) return
    const { state, written, read, staged } = update
    const { id, seq } = task
    const text = taskText(state, task)
    const there = read(id)
    if (isRight(update, there, { text, seq })) {
      if (shownTasks?.has(id) === false) yield () => void shownTasks?.add(id)
      return
    }
    written.add(id)
    if (staged) yield () => staged.write(`${id}.json`, text)
    else yield () => writeTask(update, id, { text, seq }, there === undefined)
  }

  /** Another process may have written a newer state since this content was made. */
  function writeTask(update: Update, id: TaskId, content: Content, isNew: boolean): void {
    if (!isRight(update, readTask(id, isNew), content)) files.write(taskPath(id), content.text)
    shownTasks?.add(id)
  }

  function isRight({ isForced }: Update, there: ViewFile | undefined, { text, seq }: Content): boolean {
    return there?.text === text || (!isForced && seqOf(there?.value) > seq)
  }

  /** Most files of new tasks are missing, and asking costs a fifth of a read that fails. */
  function readTask(id: TaskId, isNew: boolean): ViewFile | undefined {
    const path = taskPath(id)
    return isNew && disk.lstatSync(path) === undefined ? undefined : files.read(path)
  }

  function configStep(state: TeamState, cursor: Cursor, isForced: boolean, isMoved: boolean): Step {
    const roster = configText(state, 0)
    if (!isMoved && roster === shownRoster) return () => {}
    const text = configText(state, cursor.seq)
    return () => {
      const there = files.read(config)
      shownRoster = roster
      if (there?.text !== text && (isForced || seqOf(there?.value) <= cursor.seq)) files.write(config, text)
    }
  }

  function deletedSince(state: TeamState, changed: readonly Task[]): TaskId[] {
    if (!shownTasks) return []
    const created = changed.filter(({ id }) => !shownTasks?.has(id)).length
    if (shownTasks.size + created === state.tasks.size) return []
    return [...shownTasks].filter((id) => !state.tasks.has(id))
  }

  function idsOnDisk(): TaskId[] {
    const ids = files.list(board).flatMap((name) => {
      if (name.endsWith('.json')) return [name.slice(0, -'.json'.length)]
      return /^\d\d-\d\d$/.test(name)
        ? files.list(join(board, name)).map((task) => `${name}/${task.replace(/\.json$/, '')}`)
        : []
    })
    return ids.filter((id) => TaskId.safeParse(id).success)
  }

  function configText(state: TeamState, seq: number): string {
    const { description, members } = teamView(state)
    return `${JSON.stringify({ team, description, seq, members }, null, 2)}\n`
  }
}

/** With its first write a process compares all task files of a board up to this size; `check --repair` compares larger ones. */
const MAX_COMPARED_TASKS = 100
/** A new board with so many tasks is put in place as a whole: a rename and a look for each file cost as much as writing it. */
const MIN_STAGED_TASKS = 100

/** The tasks whose files mention this one: its dependents and its dependencies. */
function touched(state: TeamState, id: TaskId, before: Partial<Seen> | undefined, next: Task | undefined): string[] {
  const [old, now] = [Array.isArray(before?.blockedBy) ? before.blockedBy : [], next?.blockedBy ?? []]
  const edges = [...old.filter((other) => !now.includes(other)), ...now.filter((other) => !old.includes(other))]
  if (before && next && outcome(before) === outcome(next)) return edges
  return [...edges, ...state.index.dependents.of(id)]
}

/** Do the files of tasks that wait for the whole plan show this change? One more completed task of many they do not. */
function changesPlan(
  state: TeamState,
  plan: string,
  before: Partial<Seen> | undefined,
  next: Task | undefined,
): boolean {
  if (before && next && outcome(before) === outcome(next)) return false
  const { total = 0, completed = 0, failed = 0 } = state.index.plans.get(plan) ?? {}
  return next?.status !== 'completed' || completed === total || failed > 0
}

/** The part of the status that the files of dependents show. */
function outcome({ status }: Partial<Seen>): 'completed' | 'failed' | 'open' {
  return status === 'completed' || status === 'failed' ? status : 'open'
}

function taskText(state: TeamState, task: Task): string {
  return `${JSON.stringify(taskView(state, task), null, 2)}\n`
}

function parsed(text: string): Content {
  return { text, seq: seqOf(JSON.parse(text)) }
}

/** -1 without a `seq`: then everything is newer. */
function seqOf(value: unknown): number {
  return typeof value === 'object' && value !== null && 'seq' in value && typeof value.seq === 'number' ? value.seq : -1
}
