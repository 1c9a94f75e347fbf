import { type Answer, answer, answerUnchanged } from '../../team/answers/answer.ts'
import { type MessageView, messageView, type TaskView, taskView } from '../../team/answers/view.ts'
import { type Applied, apply, type TeamRecord } from '../../team/apply.ts'
import type { Circumstances, Command, MessageDraft } from '../../team/command.ts'
import { assume, decide } from '../../team/decide.ts'
import type { Author, TeamEvent } from '../../team/event.ts'
import { checkMessage, messageFrom } from '../../team/mail/decide-mail.ts'
import type { Effect } from '../../team/message.ts'
import { isRefusal, type Refusal } from '../../team/refusal.ts'
import { refusalText } from '../../team/refusal-text.ts'
import { overdue } from '../../team/requests/overdue.ts'
import { emptyState, type TeamState, unreadOf } from '../../team/state.ts'
import type { TaskDraft } from '../../team/task.ts'
import { brokenInvariants } from '../invariants.ts'

export type Actor = string | Author

/**
 * A team without a store: commands are decided in a trial, written as JSON and folded, as a team handle does it. After
 * every command the record must be readable and all invariants hold.
 */
export interface TeamHarness {
  readonly state: TeamState
  readonly journal: readonly TeamRecord[]
  readonly gone: Set<string>
  readonly unknown: Set<string>
  /** The runtime that decides. */
  self: string
  now: number
  run(command: Command, by?: Actor, id?: string): Answer | Refusal
  /** Returns the answer; throws when the command is refused. */
  ok(command: Command, by?: Actor): Answer
  /** Returns the refusal; throws when the command is carried out. */
  no(command: Command, by?: Actor): Refusal
  send(message: MessageDraft, by?: Actor, id?: string): readonly Effect[] | Refusal
  report(events: readonly TeamEvent[], by?: Actor, id?: string): readonly Effect[]
  /** Folds a record with any content, readable or not. */
  fold(record: Partial<TeamRecord>): Applied
  join(name: string, role?: string): void
  /** Adds a task and returns its id. */
  add(draft: string | TaskDraft, by?: Actor): string
  task(id: string): TaskView
  inbox(name: string): MessageView[]
}

/** Creates the team at once; with null the test does. */
export function teamHarness(team: string | null = 'web'): TeamHarness {
  const state = emptyState()
  const journal: TeamRecord[] = []
  let records = 0

  function write(id: string, by: Author, events: readonly TeamEvent[]): Applied {
    const applied = world.fold({ id, by: { ...by }, events: JSON.parse(JSON.stringify(events)) })
    if (applied.broken > 0) throw new Error(`Wrote an unreadable record: ${JSON.stringify(events)}`)
    const broken = brokenInvariants(state)
    if (broken.length > 0) throw new Error(`After ${JSON.stringify(events)}: ${broken.join('; ')}`)
    return applied
  }

  const world: TeamHarness = {
    state,
    journal,
    gone: new Set(),
    unknown: new Set(),
    self: 'here',
    now: 1000,
    run(command, actor = 'user', id = `c${++records}`) {
      const by = authorOf(actor)
      const about: Circumstances = {
        id,
        by,
        now: world.now,
        dead: world.gone,
        unknown: world.unknown,
        self: world.self,
      }
      const decided = state.trial.run((): Decided => {
        const due = overdue(state, about)
        assume(state, due, about)
        const decision = decide(state, command, about)
        if (isRefusal(decision)) return decision
        if (decision.events.length === 0) return { unchanged: answerUnchanged(state, command, by.name, decision.note) }
        return { events: [...due, ...decision.events] }
      })
      if (isRefusal(decided)) return decided
      if ('unchanged' in decided) return decided.unchanged
      return answer(state, command, id, write(id, by, decided.events))
    },
    ok(command, by) {
      const result = world.run(command, by)
      if (isRefusal(result)) throw new Error(`${command.type} was refused (${result.code}): ${refusalText(result)}`)
      return result
    },
    no(command, by) {
      const result = world.run(command, by)
      if (!isRefusal(result)) throw new Error(`${JSON.stringify(command)} was not refused: ${JSON.stringify(result)}`)
      return result
    },
    send(message, actor = 'user', id = `c${++records}`) {
      const by = authorOf(actor)
      const refusal = checkMessage(state, message, by)
      if (refusal) return refusal
      return world.report(
        [{ type: 'message.sent', message: messageFrom(message, by.name, { id, now: world.now }) }],
        by,
        id,
      )
    },
    report: (events, actor = 'user', id = `c${++records}`) => write(id, authorOf(actor), events).effects,
    fold(partial) {
      const record = { id: `c${++records}`, at: world.now, ...partial }
      journal.push(record)
      return apply(state, journal.length * 10, record)
    },
    join: (name, role = 'dev') => void world.ok({ type: 'member.join', name, role }),
    add(draft, by) {
      const tasks = [typeof draft === 'string' ? { subject: draft } : draft]
      return world.ok({ type: 'task.add', tasks }, by).tasks?.[0]?.id ?? ''
    },
    task(id) {
      const task = state.tasks.get(id)
      if (!task) throw new Error(`There is no task ${id}`)
      return taskView(state, task)
    },
    inbox: (name) => unreadOf(state, name).map(messageView),
  }
  if (team !== null) world.ok({ type: 'team.create', team })
  return world
}

type Decided = Refusal | { unchanged: Answer } | { events: TeamEvent[] }

function authorOf(actor: Actor): Author {
  return typeof actor === 'string' ? { name: actor } : actor
}
