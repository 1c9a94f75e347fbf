import {
  type AgentContext,
  methods,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import type { Mode } from '../../permissions/rules/policy.ts'
import type { OpenControl } from '../../session/control/open-control.ts'
import type { TimedLine } from '../../session/wire/live-line.ts'
import { nameKey } from '../../team/name.ts'
import { agentRows } from '../../view/agent-rows.ts'
import { applyLine } from '../../view/apply-line.ts'
import { emptyView, type OpenQuestion } from '../../view/view.ts'
import { modesOf } from './modes.ts'
import { answerOf, permissionRequest } from './permission-request.ts'
import { planOf } from './plan.ts'
import type { PromptContent } from './prompt-content.ts'
import { liveUpdates, pastUpdates } from './updates.ts'

/** One session of an editor: what happens in it becomes updates, and what its agents ask becomes permission requests. */
export interface AcpSession extends AsyncDisposable {
  readonly modes: ReturnType<typeof modesOf>
  /** Resolves when all agents are finished with it, or were interrupted; rejects with the reason where the work failed. */
  prompt(content: PromptContent): Promise<PromptResponse>
  /** Interrupts the lead and every teammate. What is written stays, and the next prompt continues. */
  cancel(): Promise<void>
  setMode(mode: Mode): Promise<void>
  /** Sends the conversation with the lead so far. */
  sendHistory(): Promise<void>
}

/** Of the lead's conversation, when an editor loads a session. */
const MAX_HISTORY_LINES = 2000

interface Prompt {
  /** How many prompts of the user this session has had when this one is among them. */
  readonly place: number
  end(outcome: 'end_turn' | 'cancelled' | { readonly error: string }): void
}

export interface Editor {
  readonly client: AgentContext
  readonly cwd: string
  /** Resolves when the editor has the id of the session: before that it could not place an update. */
  readonly isKnown: Promise<void>
}

/** Resolves when the state of the session is known. Disposing it closes the session. */
export async function openAcpSession(control: OpenControl, { client, cwd, isKnown }: Editor): Promise<AcpSession> {
  const sessionId = control.session
  const view = emptyView()
  const asked = new Map<string, AbortController>()
  const prompts = new Set<Prompt>()
  let promptsSeen = 0
  let isCancelling = false
  let shownPlan = ''
  /** One after the other, as the lines came; a closed connection ends the session anyway. */
  let sending = isKnown
  let onKnown = () => {}
  let onEnded = (_why: string) => {}
  const known = new Promise<void>((resolve, reject) => {
    onKnown = resolve
    onEnded = (why) => reject(new Error(why))
  })

  function send(update: SessionUpdate): void {
    sending = sending.then(() => client.notify(methods.client.session.update, { sessionId, update })).catch(() => {})
  }

  const stop = control.subscribe(onLine, (why) => {
    onEnded(why)
    for (const prompt of prompts) prompt.end({ error: why })
  })

  function onLine(timed: TimedLine): void {
    const { line } = timed
    applyLine(view, timed)
    if (line.type === 'deskmates/record')
      for (const event of line.events)
        if (event.type === 'message.sent' && event.message.from === 'user' && nameKey(event.message.to) === 'lead')
          promptsSeen++
    for (const update of liveUpdates(line, cwd)) send(update)
    sendPlan()
    askPerson()
    if (isCancelling) interruptAll()
    // An error is that of the run which ends here, not of an earlier one.
    endPrompts(line.type === 'deskmates/run' ? view.run.error : null)
    if (line.type === 'deskmates/run') onKnown()
  }

  function sendPlan(): void {
    const plan = planOf(view)
    const text = JSON.stringify(plan)
    if (text === shownPlan || (shownPlan === '' && plan.entries.length === 0)) return
    shownPlan = text
    send({ sessionUpdate: 'plan', ...plan })
  }

  /** Asks each question once, and takes back what was answered elsewhere. */
  function askPerson(): void {
    for (const [id, asking] of asked) {
      if (view.questions.has(id)) continue
      asked.delete(id)
      asking.abort()
    }
    for (const question of view.questions.values()) if (!asked.has(question.id)) void ask(question)
  }

  async function ask(question: OpenQuestion): Promise<void> {
    const asking = new AbortController()
    asked.set(question.id, asking)
    await isKnown
    const answer = await client
      .request(methods.client.session.requestPermission, permissionRequest(question, sessionId, cwd), {
        cancellationSignal: asking.signal,
      })
      .then(({ outcome }) => answerOf(outcome))
      .catch(() => ({ allowed: false as const, why: 'The editor did not answer.' }))
    if (!asking.signal.aborted) await control.answer(question.id, answer)
  }

  function interruptAll(): void {
    for (const { name, state } of agentRows(view, 0))
      if (state === 'working' || state === 'waiting_approval' || name === 'lead') void control.interrupt(name)
  }

  /** A prompt is finished when it was read and all agents are finished, or when the work ended with an error. */
  function endPrompts(error: string | null): void {
    if (view.run.isWorking) return
    const isUnread = [...view.teams.values()].some((state) =>
      [...(state.mailboxes.get('lead')?.values() ?? [])].some(({ message }) => message.from === 'user'),
    )
    for (const prompt of prompts) {
      if (prompt.place > promptsSeen || (isUnread && error === null && !isCancelling)) continue
      prompts.delete(prompt)
      prompt.end(isCancelling ? 'cancelled' : error === null ? 'end_turn' : { error })
    }
    if (prompts.size === 0) isCancelling = false
  }

  await known
  const firstMode = view.mode

  return {
    get modes() {
      return modesOf(view.mode, firstMode)
    },
    prompt({ text, attached }) {
      return new Promise((resolve, reject) => {
        const prompt: Prompt = {
          place: Math.max(promptsSeen, ...[...prompts].map(({ place }) => place)) + 1,
          // Behind the updates of its work.
          end: (outcome) =>
            void sending.then(() =>
              typeof outcome === 'string'
                ? resolve({ stopReason: outcome })
                : reject(RequestError.internalError(undefined, outcome.error)),
            ),
        }
        prompts.add(prompt)
        control.prompt(text, undefined, attached).then((given) => {
          if (typeof given !== 'object') return
          prompts.delete(prompt)
          reject(RequestError.invalidParams(undefined, given.refused))
        }, reject)
      })
    },
    async cancel() {
      if (prompts.size === 0) return
      isCancelling = true
      interruptAll()
      endPrompts(null)
    },
    async setMode(mode) {
      const notDone = await control.setMode(mode)
      if (notDone) throw RequestError.invalidParams(undefined, notDone.refused)
    },
    async sendHistory() {
      for (const { line } of await control.history('lead', MAX_HISTORY_LINES))
        for (const update of pastUpdates(line, cwd)) send(update)
      await sending
    },
    async [Symbol.asyncDispose]() {
      stop()
      for (const question of asked.values()) question.abort()
      await control[Symbol.asyncDispose]()
    },
  }
}
