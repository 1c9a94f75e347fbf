import { setTimeout as sleep } from 'node:timers/promises'
import type { Team } from '../../runtime/team.ts'
import { allTasks } from '../../team/board.ts'
import { nameKey } from '../../team/name.ts'
import { nextDeadline } from '../../team/overdue.ts'
import { isRefusal } from '../../team/refusal.ts'
import { heldBy, roster } from '../../team/state.ts'
import { type MessageView, type TaskView, taskView } from '../../team/view.ts'
import type { Call } from '../context.ts'
import { withTeam } from '../open-team.ts'
import { type Letters, openLetters } from './letters.ts'
import { knowledge, type Worker, work } from './work.ts'

export interface MemberOptions {
  readonly name: string
  /** Seconds a claim of this member lives without a renewal. */
  readonly lease: number
  /** Milliseconds that thinking takes on average. */
  readonly pace: number
  readonly seed: number
}

/**
 * One member of the tour in a process of its own. It knows its name and the folder; whatever else it learns, it learns
 * from the board and from mail. It begins when it is first written to and goes when it is told that all is done.
 */
export async function runMember(call: Call, options: MemberOptions): Promise<void> {
  const { name } = options
  const signal = AbortSignal.any([call.signal, orphaned(call)])
  await withTeam(call, 'write', async (team, { store, root }) => {
    const letters = openLetters(team, name, store.presence.self)
    await letters.send('lead', 'Here I am.')
    let pile = await atLeastOne(letters, signal)
    while (!signal.aborted) {
      const unanswered = []
      for (const letter of pile) {
        if (letter.home !== undefined) return
        if (letter.asks !== undefined) await reply(letters, letter)
        else if (letter.take !== undefined) await tryToTake(team, letters, letter, options)
        else unanswered.push(letter)
      }
      const task = await claim(team, options)
      if (task) await carryOut(task, { team, letters, folder: root, signal, options, pile: unanswered })
      else await team.changed(rest(team, call), signal)
      pile = [...unanswered, ...(await letters.take())]
    }
  })
}

/** Whoever started us is gone, however it went: it held the other end of our stdin. */
function orphaned({ stdin }: Call): AbortSignal {
  const gone = new AbortController()
  const listen = async () => {
    for await (const _ of stdin);
  }
  listen().then(
    () => gone.abort(),
    () => gone.abort(),
  )
  return gone.signal
}

async function atLeastOne(letters: Letters, signal: AbortSignal): Promise<MessageView[]> {
  const first = await letters.await(() => true, signal)
  return first ? [first] : []
}

async function reply(letters: Letters, { from, id, asks }: MessageView): Promise<void> {
  await letters.send(from, knowledge[String(asks)] ?? 'I do not know.', { answers: id })
}

/** Told to take a certain task, perhaps at a certain moment: the lead learns why it could not be. */
async function tryToTake(team: Team, letters: Letters, letter: MessageView, { name, lease }: MemberOptions) {
  const task = String(letter.take)
  if (letter.at !== undefined) await moment(Number(letter.at))
  const answer = await team.run({ type: 'task.claim', id: task, lease }, { by: { name } })
  if (isRefusal(answer)) await letters.send('lead', answer.message, { refused: answer.refused, task })
}

/** As exactly as a process can: the last milliseconds are not slept but watched. */
async function moment(at: number): Promise<void> {
  await sleep(Math.max(0, at - Date.now() - 5))
  while (Date.now() < at);
}

/** The task we hold already, or the next one that is ready for us. */
async function claim(team: Team, { name, lease }: MemberOptions): Promise<TaskView | undefined> {
  const answer = await team.run({ type: 'task.claim', lease }, { by: { name } })
  return isRefusal(answer) ? undefined : answer.tasks?.[0]
}

interface Desk {
  readonly team: Team
  readonly letters: Letters
  readonly folder: string
  readonly signal: AbortSignal
  readonly options: MemberOptions
  /** Letters that came before the question they answer was asked by this process: a predecessor asked it. */
  readonly pile: readonly MessageView[]
}

async function carryOut(task: TaskView, desk: Desk): Promise<void> {
  const { team, options } = desk
  const by = { name: options.name }
  const held = hold(task, desk)
  try {
    const result = await work(task, workerAt(task, desk, held.signal))
    // Refused if the claim ended meanwhile: then somebody else has the task, and its result is the one that counts.
    await team.run({ type: 'task.complete', id: task.id, result }, { by })
  } catch (error) {
    if (held.signal.aborted) return
    const reason = error instanceof Error ? error.message : String(error)
    await team.run({ type: 'task.fail', id: task.id, reason }, { by })
  } finally {
    held.end()
  }
}

/** Renews the claim while we live. `signal` aborts when it is no longer ours, or when we have to go. */
function hold(task: TaskView, { team, options, signal }: Desk): { signal: AbortSignal; end(): void } {
  const lost = new AbortController()
  const renew = async () => {
    const answer = await team.run({ type: 'task.renew', id: task.id }, { by: { name: options.name } })
    const isOurs = !isRefusal(answer) && heldBy(team.state, options.name)?.id === task.id
    if (!isOurs) lost.abort()
  }
  const timer = setInterval(() => renew().catch(() => lost.abort()), (options.lease * 1000) / 4)
  return { signal: AbortSignal.any([signal, lost.signal]), end: () => clearInterval(timer) }
}

function workerAt(task: TaskView, { team, letters, folder, options, pile }: Desk, signal: AbortSignal): Worker {
  const random = randomFrom(`${options.seed} ${options.name} ${task.id}`)
  const answerTo = async (fits: (letter: MessageView) => boolean) => {
    const letter = pile.find(fits) ?? (await letters.await(fits, signal))
    if (!letter) throw new Error('interrupted')
    return letter.content
  }
  return {
    name: options.name,
    folder,
    tasks: allTasks(team.state).map((one) => taskView(team.state, one)),
    think: () => sleep(options.pace * (0.5 + random()), undefined, { signal }),
    async ask(role, question, about) {
      const member = roster(team.state).find((one) => nameKey(one.role) === role)
      if (!member) throw new Error(`nobody here is ${role}`)
      const id = await letters.send(member.name, question, { asks: about })
      return answerTo((letter) => letter.answers === id)
    },
    async show(content) {
      const fits = (letter: MessageView) => letter.reviewed === task.id
      if (!pile.some(fits)) await letters.send('lead', `Please read: ${content}`, { review: task.id })
      return answerTo(fits)
    },
  }
}

/** Milliseconds until a lease ends, and never longer than a look now and then. */
function rest({ state }: Team, { clock }: Call): number {
  const next = nextDeadline(state)
  return next === undefined ? FLOOR : Math.min(FLOOR, Math.max(1, (next - clock.now()) * 1000))
}

const FLOOR = 2000

/** The same text, the same numbers: a seed gives a run its rhythm. */
function randomFrom(text: string): () => number {
  let state = 1
  for (const character of text) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x9e3779b1)
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}
