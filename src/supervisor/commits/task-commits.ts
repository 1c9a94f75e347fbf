import type { Membership } from '../../agent/membership.ts'
import type { SessionContext } from '../../agent/session-context.ts'
import type { RecentCommit, TaskCommit, TaskCommits } from '../../agent/task-commits.ts'
import { type Git, type GitPlace, openGit } from '../../permissions/sandbox/run-git.ts'
import { notCommittedText } from '../../prompts/commits.ts'
import { reservesFile } from '../../team/board/reservation.ts'
import type { TeamEvent } from '../../team/event.ts'
import { heldBy } from '../../team/state.ts'
import type { Task } from '../../team/task.ts'
import { beginning, counted } from '../../team/wording.ts'
import { type NoRepository, repositoryState } from './changed-files.ts'
import { type CommitResult, commitFiles, shortHash } from './commit-files.ts'
import { readUserGit, type UserGit } from './user-git.ts'

export interface TaskCommitsOptions extends Omit<GitPlace, 'sandbox'> {
  readonly isOn: boolean
  readonly sandbox: GitPlace['sandbox'] | undefined
  readonly clock: SessionContext['clock']
  readonly run: SessionContext['run']
}

interface Opened {
  readonly git: Git
  readonly user: UserGit
}

export function createTaskCommits(options: TaskCommitsOptions): TaskCommits {
  const { clock, run, isOn } = options
  let opening: Promise<Opened | NoRepository> | undefined
  /** By team and task: while the state of the repository is looked up, its owner waits. */
  const looking = new Map<string, Promise<NoRepository | undefined>>()
  const reported = new Set<string>()
  const holds = new Map<string, number>()

  async function open(): Promise<Opened | NoRepository> {
    const { sandbox } = options
    if (sandbox === undefined)
      return { why: "there is no sandbox, and git would run what agents' files say", next: 'Run deskmates doctor' }
    const git = await openGit({ ...options, sandbox }, { canWrite: true })
    if (!git) return { why: 'there is no git', next: 'Install git' }
    const user = await readUserGit(git, options.env)
    if (user.signs)
      report('commit.gpgSign is on, but commits of the runtime are not signed: no program of yours is run.')
    return { git, user }
  }

  /** Once per session: it is the same for every task. */
  function report(text: string): void {
    if (!reported.has(text)) run.emit({ type: 'note', agent: 'lead', text: `[COMMIT] ${text}` })
    reported.add(text)
  }

  function reportImpossible({ why, next }: NoRepository): NoRepository {
    report(`Nothing is committed: ${why}. ${next}.`)
    return { why, next }
  }

  /** The summary of the plan says of each task that its files are in no commit. */
  async function leftUncommitted({ team, by }: Membership, { id }: Task, problem: NoRepository): Promise<TaskCommit> {
    const { why } = reportImpossible(problem)
    await team.report([{ type: 'deviation.noted', member: by.name, task: id, text: notCommittedText(why) }], { by })
    return { kind: 'impossible', why }
  }

  async function look({ team, by }: Membership, { id, files }: Task): Promise<NoRepository | undefined> {
    opening ??= open()
    const opened = await opening
    if ('why' in opened) return reportImpossible(opened)
    const state = await repositoryState(opened.git, opened.user)
    if ('why' in state) return reportImpossible(state)
    const dirty = state.changed.flatMap(({ path }) => (reservesFile(files, path) ? [path] : []))
    await team.report([{ type: 'task.baseline', id, head: state.head, dirty }], { by })
    return undefined
  }

  const keyOf = (team: string, { id, attempts }: Task) => `${team} ${id} ${attempts}`

  return {
    isOn,
    async beforeEffect(membership) {
      if (!isOn) return
      const { team, by } = membership
      const task = heldBy(team.state, by.name)
      if (!task || task.baseline || task.files.length === 0) return
      const key = keyOf(team.name, task)
      const pending = looking.get(key) ?? look(membership, task)
      looking.set(key, pending)
      await pending
    },
    async commit(membership, task, { isPartial }) {
      const { team, by } = membership
      const { baseline, id, files } = task
      if (!isOn || files.length === 0) return { kind: 'nothing' }
      opening ??= open()
      const opened = await opening
      if ('why' in opened) return leftUncommitted(membership, task, opened)
      // It is missing where git could not tell when the work began, or where nothing was done for the task.
      if (!baseline) {
        const unknown = await looking.get(keyOf(team.name, task))
        return unknown ? leftUncommitted(membership, task, unknown) : { kind: 'nothing' }
      }
      const dirty = new Set(baseline.dirty)
      const work = { team: team.name, agent: by.name, isPartial }
      const request = {
        isMeant: (path: string) => !dirty.has(path) && reservesFile(files, path),
        ...{ message: messageOf(task, work), user: opened.user },
      }
      const result = await commitFiles(opened.git, request, clock)
      if (result.kind === 'impossible') return leftUncommitted(membership, task, result)
      if (result.kind === 'locked' || result.kind === 'failed')
        return isPartial
          ? leftUncommitted(membership, task, { why: result.why, next: 'Look at the repository' })
          : result
      const notes = notesOf(result, baseline.dirty)
      const deviations = notes.map((text): TeamEvent => ({ type: 'deviation.noted', member: by.name, task: id, text }))
      if (deviations.length > 0) await team.report(deviations, { by })
      for (const text of notes) run.emit({ type: 'note', agent: by.name, text: `[COMMIT] ${id}: ${text}` })
      const commit = result.kind === 'committed' ? result.short : await earlierCommit(opened.git, task, team.name)
      if (commit === undefined) return { kind: 'nothing' }
      const size = result.kind === 'committed' ? ` (${counted(result.files.length, 'file')})` : ''
      run.emit({ type: 'note', agent: by.name, text: `[COMMIT] ${id}: ${commit}${size}` })
      return { kind: 'committed', commit }
    },
    countHold(key) {
      const times = (holds.get(key) ?? 0) + 1
      holds.set(key, times)
      return times
    },
    async recent() {
      opening ??= open()
      const opened = await opening
      if ('why' in opened) return undefined
      const log = await opened.git.run(['log', '-50', '-z', '--format=%ct %H %B', 'HEAD', '--'])
      return log.code === 0 ? log.stdout.split('\0').flatMap(readCommit) : undefined
    },
  }
}

function readCommit(text: string): RecentCommit[] {
  const [, at, hash, message] = /^(\d+) ([0-9a-f]+) (.*)$/s.exec(text) ?? []
  return message === undefined ? [] : [{ at: Number(at), hash: hash!, message }]
}

/** What the user has to know: files that belong to the task and are not in the commit, or not in the index. */
function notesOf(result: Extract<CommitResult, { kind: 'committed' | 'nothing' }>, dirty: readonly string[]): string[] {
  const left = result.kind === 'committed' ? result.leftInIndex : []
  return [
    ...some(dirty, 'not committed, because changed before the task began'),
    ...some(result.filtered, 'not committed, because a filter of git is not run'),
    ...some(left, 'committed, and what you staged of it before is still staged'),
  ]
}

function some(files: readonly string[], what: string): string[] {
  return files.length === 0 ? [] : [`${files.map(shownName).join(', ')}: ${what}`]
}

/** A name with a newline in it must not look like a line of the log. */
function shownName(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this quotes
  return /[\x00-\x1f\x7f-\x9f"\\]|^\s|\s$/.test(path) ? JSON.stringify(path) : path
}

/** A subject of a longer task is cut: the board has all of it. */
const MAX_SUBJECT_LENGTH = 200

interface Work {
  readonly team: string
  readonly agent: string
  readonly isPartial: boolean
}

function messageOf({ id, subject }: Pick<Task, 'id' | 'subject'>, { team, agent, isPartial }: Work): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this takes away
  const words = beginning(subject.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ').trim(), MAX_SUBJECT_LENGTH)
  const title = `${id.includes('/') ? id : `task ${id}`}: ${words}${isPartial ? ' (partial: the task failed)' : ''}`
  return `${title}\n\n${taskLine(id)}\n${teamLine(team)}\nDeskmates-Agent: ${agent}`
}

const taskLine = (id: string) => `Deskmates-Task: ${id}`
const teamLine = (team: string) => `Deskmates-Team: ${team}`

/** The commit of an attempt whose process ended before the task did. */
async function earlierCommit(git: Git, { id, baseline }: Task, team: string): Promise<string | undefined> {
  const since = baseline?.head ? [`${baseline.head}..HEAD`] : ['HEAD']
  const lines = [taskLine(id), teamLine(team)].map((line) => `--grep=^${line.replace(/[.[\]*^$\\]/g, '\\$&')}$`)
  const found = await git.run(['log', '-1', '--format=%H', '--all-match', '--basic-regexp', ...lines, ...since, '--'])
  const hash = found.code === 0 ? found.stdout.trim() : ''
  return hash === '' ? undefined : shortHash(hash)
}
