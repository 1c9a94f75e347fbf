import type { Membership } from '../../agent/membership.ts'
import { limitOf, type SessionContext } from '../../agent/session-context.ts'
import {
  fallbackText,
  notRecordedText,
  oneShotFailedText,
  refusedHandOffText,
  unfinishedReplacementText,
} from '../../prompts/reports.ts'
import type { Author } from '../../team/event.ts'
import { type Member, ONE_SHOT_TYPE } from '../../team/members/member.ts'
import { owedAnswers } from '../../team/members/owed-answers.ts'
import { nameKey } from '../../team/name.ts'
import { isRefusal, type Refusal } from '../../team/refusal.ts'
import { refusalText } from '../../team/refusal-text.ts'
import { heldBy, memberNamed } from '../../team/state.ts'
import type { Task } from '../../team/task.ts'
import { answerId, checkAnswer, recordAnswer } from '../answers.ts'
import type { TeammateFactory } from './teammate-factory.ts'

/** Runs tasks without teammates: for each a member that claims it, does it once in a conversation of its own, and stops. */
export interface OneShots {
  /** Claims the task; undefined if that was too late, because another member claimed it or it was deleted. */
  start(options: OneShotOptions): Promise<OneShot | Refusal | undefined>
  /** Continues one that completed its task and was cut off before its answer; false if it owes none that is used. */
  finish(member: Member, onFailing: (task: string, problem: string) => void): Promise<boolean>
  readonly running: number
  /** A limit of the run keeps one from its answer. */
  readonly isHeldByLimit: boolean
  /** The run ended: those that work are stopped, and their claims are released when the session is resumed. */
  halt(): void
  resume(): void
  close(): void
}

export interface OneShotOptions {
  readonly task: string
  /** Becomes the name of the member, with a number behind it if a member had that name. */
  readonly name: string
  /** Whose type and model it has. */
  readonly like: Pick<Member, 'name' | 'role' | 'profile'>
  /** Its end is reported to the lead, which takes a turn for it. */
  readonly isReported: boolean
  /** What the task fails with if the member ends without completing it. */
  failureText(problem: string): string
  /** The same, before it is recorded: what follows from it can be prevented. */
  onFailing(problem: string): void
}

export interface OneShot {
  readonly ended: Promise<void>
}

export function createOneShots(
  context: SessionContext,
  { team, by: lead }: Membership,
  runInPlaceOf: TeammateFactory['runInPlaceOf'],
): OneShots {
  const runtime = context.store.presence.self
  const closing = new AbortController()
  let running = 0
  let isHalted = false
  let halting = new AbortController()

  const isAnswerUsed = () => context.routing?.checkAnswer !== undefined

  /** A name that no member ever had: the transcript of each is kept under its name. */
  function freeName(wanted: string): string {
    for (let i = 1; ; i++) {
      const name = i === 1 ? wanted : `${wanted}-${i}`
      if (!memberNamed(team.state, name)) return name
    }
  }

  async function run(task: Task, by: Author, options: OneShotOptions, isContinued = false): Promise<void> {
    const { like, isReported } = options
    const signal = AbortSignal.any([closing.signal, halting.signal])
    const { text, problem: cause } = await runInPlaceOf({
      ...{ task, member: like, as: by, isReported, isContinued, signal },
    })
    if (closing.signal.aborted || isHalted) return
    // Its words say nothing about the task: only its own call ends it. Of a limit the task is not to blame.
    const held = heldBy(team.state, by.name)
    if (held?.id === task.id && limitOf(context) === undefined) {
      const problem = cause ?? unfinishedReplacementText(text.trim())
      context.run.emit({ type: 'note', agent: by.name, text: fallbackText(problem, 'none', like.name) })
      options.onFailing(problem)
      const partial = await context.commits.commit({ team, by }, held, { isPartial: true })
      const commit = partial.kind === 'committed' ? { commit: partial.commit } : {}
      await team.run({ type: 'task.fail', id: task.id, reason: options.failureText(problem), ...commit }, { by })
    }
    // It has completed its task, and the next run asks it for its answer.
    if (cause !== undefined && held?.id !== task.id && limitOf(context) !== undefined) return
    const problem = await handOver(task.id, by, text)
    if (problem !== undefined) await failCompleted(task.id, by, { ...options, problem: cause ?? problem })
    await team.run({ type: 'member.stop', name: by.name, reason: 'its task is over' }, { by: lead })
  }

  /** Records what its answer hands over; returns why that cannot be used. */
  async function handOver(id: string, by: Author, answer: string): Promise<string | undefined> {
    let problem: string | undefined
    // Its recipient may stop meanwhile: then it is recorded without one.
    for (let i = 0; i < 2; i++) {
      const found = checkAnswer(context, { team, by }, id, answer)
      if (!found) return undefined
      if (isRefusal(found)) return refusedHandOffText(refusalText(found))
      const refused = await recordAnswer(context, { team, by, lead }, found, answerId(team.name, by.name))
      if (!refused) return undefined
      problem = notRecordedText(refusalText(refused))
    }
    return problem
  }

  /** Its work is there, but what it handed over cannot be used. Its claim keeps other agents from the reopened task. */
  async function failCompleted(id: string, by: Author, options: OneShotOptions & { problem: string }): Promise<void> {
    const { problem } = options
    context.run.emit({ type: 'note', agent: by.name, text: fallbackText(problem, 'none', options.like.name) })
    options.onFailing(problem)
    await team.run({ type: 'task.update', id, status: 'pending' }, { by: lead })
    const claimed = await team.run({ type: 'task.claim', id }, { by })
    if (isRefusal(claimed)) return
    await team.run({ type: 'task.fail', id, reason: options.failureText(problem) }, { by })
  }

  function begin(
    task: Task,
    { name, generation }: Pick<Member, 'name' | 'generation'>,
    options: OneShotOptions,
    isContinued = false,
  ): Promise<void> {
    running++
    const ended = run(task, { name, generation, epoch: lead.epoch! }, options, isContinued).finally(() => {
      running--
      context.run.onChange()
    })
    // A caller that does not wait hears of a failure from the journal.
    ended.catch(() => {})
    return ended
  }

  return {
    async start(options) {
      const { task: id, like } = options
      const name = freeName(options.name)
      const profile = { agentType: ONE_SHOT_TYPE, model: null, requirePlan: false }
      const own = { name, role: like.role, profile, task: id, inPlaceOf: like.name }
      const spawn = { type: 'member.spawn', runtime, ...own } as const
      running++
      try {
        const spawned = await team.run(spawn, { by: lead })
        const task = team.state.tasks.get(id)
        if (isRefusal(spawned)) return task?.status === 'pending' ? spawned : undefined
        return { ended: begin(task!, spawned.member!, options) }
      } finally {
        running--
      }
    },
    async finish(member, onFailing) {
      const owed = owedAnswers(team.state).find((one) => nameKey(one.member.name) === nameKey(member.name))
      if (!owed || !isAnswerUsed()) return false
      const { name, role } = member
      const profile = { agentType: ONE_SHOT_TYPE, model: null, requirePlan: false }
      const spawned = await team.run({ type: 'member.spawn', name, role, runtime, profile }, { by: lead })
      if (isRefusal(spawned)) return false
      const like = { name: role, role, profile: null }
      const { id } = owed.task
      const options = {
        ...{ name, like, task: id, isReported: false, failureText: oneShotFailedText },
        onFailing: (problem: string) => onFailing(id, problem),
      }
      begin(owed.task, spawned.member!, options, true)
      return true
    },
    get running() {
      return running
    },
    get isHeldByLimit() {
      return isAnswerUsed() && limitOf(context) !== undefined && owedAnswers(team.state).length > 0
    },
    halt() {
      isHalted = true
      halting.abort()
    },
    resume() {
      if (!isHalted) return
      isHalted = false
      halting = new AbortController()
    },
    close: () => closing.abort(),
  }
}
