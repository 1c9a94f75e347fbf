import { createCompaction } from '../runtime/compact/compaction.ts'
import { isAborted } from '../runtime/converse/aborted.ts'
import type { Stop } from '../runtime/converse/agent-event.ts'
import { createChannel } from '../runtime/converse/channel.ts'
import { nothingUsed } from '../runtime/converse/conversation.ts'
import { converse } from '../runtime/converse/converse.ts'
import { TeamError } from '../team/errors.ts'
import { unreadOf } from '../team/state.ts'
import type { RanHook } from '../tools/hooks/hooks.ts'
import { offer } from '../tools/run-call.ts'
import type { Desk } from './lead-desk.ts'
import type { SessionEvent } from './session.ts'
import { granted } from './take-lead.ts'

/** Says the prompt and lets the lead work until it rests and nothing it started runs any more. */
export async function* work(
  desk: Desk,
  prompt: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop> {
  const left = new AbortController()
  const channel = createChannel<SessionEvent>()
  desk.run.used = nothingUsed()
  desk.run.tell = channel.put
  const stop = rounds(desk, prompt, AbortSignal.any([signal, left.signal]), channel.put).finally(channel.end)
  stop.catch(() => {})
  let isLeft = true
  try {
    yield* channel
    isLeft = false
  } finally {
    // Whoever stopped listening wants it to stop; all that is written down stays resumable.
    if (isLeft) left.abort()
    if (isLeft) await stop.catch(() => {})
    desk.run.tell = () => {}
  }
  return stop
}

/** Summarises the conversation of the lead, who says nothing about it. */
export async function* compact(
  { accounts, run, talk }: Desk,
  focus: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop> {
  run.used = nothingUsed()
  const agent = talk.agent.name
  try {
    let text = '[Nothing to compress.]'
    const loop = createCompaction(talk, offer(talk.agent.tools)).summarise({ trigger: 'manual', focus }, signal)
    for await (const event of loop) {
      if (event.type === 'compacted') text = `Compressed: about ${event.before} tokens became ${event.after}.`
      yield { agent, ...event }
    }
    return { kind: 'finished', text }
  } catch (error) {
    if (isAborted(error, signal)) return { kind: 'aborted', text: '' }
    return { kind: 'error', error: error instanceof Error ? error : new Error(String(error)), text: '' }
  } finally {
    await accounts.settle()
  }
}

async function rounds(
  desk: Desk,
  prompt: string | undefined,
  signal: AbortSignal,
  tell: (event: SessionEvent) => void,
): Promise<Stop> {
  const { accounts, jobs, notices, talk, team } = desk
  const agent = talk.agent.name
  if (prompt !== undefined) {
    const { refusal, content } = await withHooks(desk, prompt, signal, tell)
    if (refusal !== undefined) return { kind: 'error', error: new PromptRefused(refusal), text: '' }
    granted(await team.send({ to: agent, content }))
  }
  let goneOn = 0
  accounts.show('working')
  try {
    for (;;) {
      const loop = converse(talk, signal)
      let step = await loop.next()
      for (; !step.done; step = await loop.next()) tell({ agent, ...step.value })
      const stop = step.value
      if (stop.kind !== 'finished') return stop
      if (notices.waiting > 0) continue
      if (!jobs.list().some(({ state }) => state === 'running')) {
        const feedback = await wantsMore(desk, goneOn, signal, tell)
        if (feedback === undefined) return stop
        goneOn++
        notices.add({ text: feedback })
        continue
      }
      await news(desk, signal)
      if (signal.aborted) return { kind: 'aborted', text: stop.text }
    }
  } finally {
    accounts.show('idle')
    await accounts.settle()
  }
}

/** Hooks may refuse a prompt, or add to it. */
async function withHooks(
  { hooks, talk }: Desk,
  prompt: string,
  signal: AbortSignal,
  tell: (event: SessionEvent) => void,
): Promise<{ refusal: string | undefined; content: string }> {
  if (!hooks?.has('UserPromptSubmit')) return { refusal: undefined, content: prompt }
  const agent = talk.agent.name
  const show = (ran: RanHook) => tell({ type: 'hook', agent, ...ran })
  const { refusal, context } = await hooks.run('UserPromptSubmit', { agent, prompt }, signal, show)
  return { refusal, content: context === '' ? prompt : `${prompt}\n\n[added by a hook of the user]\n${context}` }
}

export class PromptRefused extends TeamError {
  readonly code = 'prompt_refused'
  constructor(why: string) {
    super(`A hook refused the prompt: ${why}. Ask in another way, or change the hook in your settings.`)
  }
}

/** How often hooks may keep an agent from resting, so that one that is never content does not spend for ever. */
const MOST_MORE = 8

/** What a Stop hook wants to be done before the agent rests; undefined if it may rest. */
async function wantsMore(
  { hooks, talk }: Desk,
  goneOn: number,
  signal: AbortSignal,
  tell: (event: SessionEvent) => void,
): Promise<string | undefined> {
  if (!hooks?.has('Stop') || goneOn >= MOST_MORE) return undefined
  const agent = talk.agent.name
  const show = (ran: RanHook) => tell({ type: 'hook', agent, ...ran })
  const { refusal } = await hooks.run('Stop', { agent, isGoingOn: goneOn > 0 }, signal, show)
  return refusal === undefined || signal.aborted ? undefined : `<hook event="Stop">\n${refusal}\n</hook>`
}

/** Resolves when a job has ended, mail has come or nobody wants to know any more. Waiting costs nothing. */
async function news({ jobs, talk, team, transcript }: Desk, signal: AbortSignal): Promise<void> {
  const enough = new AbortController()
  const either = AbortSignal.any([signal, enough.signal])
  const ended = jobs.list().filter(({ state }) => state === 'running')
  try {
    await Promise.race([...ended.map((job) => job.ended), mail(), aborted(either)])
  } finally {
    enough.abort()
  }

  async function mail(): Promise<void> {
    while (!either.aborted) {
      await team.ingest()
      await team.refresh()
      const unread = unreadOf(team.state, talk.agent.name)
      if (unread.some(({ message }) => !transcript.state.mail.has(message.id))) return
      await team.changed(POLL, either)
    }
  }
}

/** Mail through the door wakes nobody, so somebody looks: milliseconds. */
const POLL = 2000

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
