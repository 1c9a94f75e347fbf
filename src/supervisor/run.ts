import { isAborted } from '../agent/aborted.ts'
import { type Agent, noUsage } from '../agent/agent.ts'
import type { Stop } from '../agent/agent-event.ts'
import { createChannel } from '../agent/channel.ts'
import { maxPromptTokens } from '../agent/choose-mail.ts'
import { createCompaction } from '../agent/compaction/compaction.ts'
import { tokensIn } from '../agent/compaction/weigh.ts'
import { createFence } from '../agent/fence.ts'
import { runLoop } from '../agent/loop.ts'
import type { SessionContext } from '../agent/session-context.ts'
import type { SessionEvent } from '../agent/session-event.ts'
import { turnOnly } from '../journal/order.ts'
import { LeadershipLost } from '../journal/rewound.ts'
import { limitText } from '../prompts/limit.ts'
import { TeamError } from '../team/errors.ts'
import type { RanHook } from '../tools/hooks/hooks.ts'
import { offer } from '../tools/run-call.ts'
import { damagesIn } from './damages.ts'
import { stopHookFeedback } from './stop-hook.ts'
import type { Supervisor } from './supervisor.ts'
import { granted } from './take-lead.ts'

/** Says the prompt and lets lead and teammates work until all is settled. `begin` says whether it may, and how it ends. */
export async function* work(
  { run }: SessionContext,
  office: Supervisor,
  prompt: string | undefined,
  signal: AbortSignal,
  begin: () => () => void,
): AsyncGenerator<SessionEvent, Stop> {
  const end = begin()
  const left = new AbortController()
  const channel = createChannel<SessionEvent>()
  run.used = noUsage()
  run.endedBy = undefined
  run.emit = channel.put
  const over = AbortSignal.any([signal, left.signal])
  const release = () => office.context.model.order?.release('the run was interrupted')
  over.addEventListener('abort', release)
  const stop = rounds(office, prompt, over, channel.put)
    .finally(() => over.removeEventListener('abort', release))
    .finally(channel.end)
  stop.catch(() => {})
  run.end = async () => {
    left.abort()
    await stop.catch(() => {})
  }
  let isLeft = true
  try {
    yield* channel
    isLeft = false
  } finally {
    // Whoever stopped listening wants it to stop; all that is written down stays resumable.
    if (isLeft) await run.end()
    run.emit = () => {}
    end()
  }
  return stop
}

/** Summarises the conversation of the lead, who says nothing about it. */
export async function* compact(
  { run }: SessionContext,
  { lead }: Supervisor,
  focus: string | undefined,
  signal: AbortSignal,
  begin: () => () => void,
): AsyncGenerator<SessionEvent, Stop> {
  const end = begin()
  run.used = noUsage()
  const agent = lead.name
  try {
    let text = '[Nothing to compress.]'
    const compaction = createCompaction(lead, offer(lead.tools))
    const cut = await compaction.shorten()
    if (cut) text = `Shortened: about ${cut.before} tokens became ${cut.after}.`
    const loop = compaction.summarise({ trigger: 'manual', focus }, signal)
    for await (const event of loop) {
      if (event.type === 'compacted') text = `Compressed: about ${event.before} tokens became ${event.after}.`
      yield { agent, ...event }
    }
    return { kind: 'finished', text }
  } catch (error) {
    if (isAborted(error, signal)) return { kind: 'aborted', text: '' }
    return { kind: 'error', error: error instanceof Error ? error : new Error(String(error)), text: '' }
  } finally {
    await lead.reports.settle().finally(end)
  }
}

/** However it ends, that is its answer: what goes wrong around the conversation is an error like one inside of it. */
async function rounds(
  office: Supervisor,
  prompt: string | undefined,
  signal: AbortSignal,
  tell: (event: SessionEvent) => void,
): Promise<Stop> {
  const lead = office.lead
  const { reports: accounts } = lead
  let text = ''
  try {
    await office.resume()
    for (const text of office.rooms.flatMap(({ team }) => damagesIn(team)))
      tell({ type: 'problem', agent: lead.name, text })
    if (prompt !== undefined) {
      const { refusal, content } = await withHooks(office, prompt, signal, tell)
      if (refusal !== undefined) throw new PromptRefused(refusal)
      refuseTooLarge(content, lead)
      // Before anything is awaited, so that both are one write.
      accounts.setActivity('working')
      granted(await office.rooms[0]!.team.send({ to: lead.name, content, extra: { prompt: true } }))
    }
    accounts.setActivity('working')
    const stop = await untilSettled(office, signal, tell)
    text = stop.text
    // Only who has settled may rest where they are; whatever stopped the lead stops everybody.
    if (stop.kind !== 'finished') await office.parkAll(whyEnded(stop))
    accounts.setActivity('idle')
    await accounts.settle()
    return stop
  } catch (error) {
    await office.parkAll(`the run failed: ${error instanceof Error ? error.message : String(error)}`)
    accounts.setActivity('idle')
    // Should that fail too, this error is the one to tell, and whoever runs next finds out by itself.
    await accounts.settle().catch(() => {})
    return { kind: 'error', error: error instanceof Error ? error : new Error(String(error)), text }
  }
}

/** Why a run ended in the middle of the work, for those whose work was cut off. */
function whyEnded(stop: Exclude<Stop, { kind: 'finished' }>): string {
  switch (stop.kind) {
    case 'limit':
      return stop.limit === 'turns' ? limitText(stop) : `the lead was stopped: ${limitText(stop)}`
    case 'budget':
      return 'the budget of the run is used up'
    case 'aborted':
      return 'the run was interrupted'
    case 'error':
      return `the run failed: ${stop.error.message}`
  }
}

/**
 * The lead works and rests; whatever happens in a team wakes it. It is over when nobody works, nothing is ready, no
 * request is open and the lead has heard everything.
 */
async function untilSettled(
  office: Supervisor,
  signal: AbortSignal,
  tell: (event: SessionEvent) => void,
): Promise<Stop> {
  const lead = office.lead
  const { jobs, notices } = lead
  const agent = lead.name
  let goneOn = 0
  for (;;) {
    // Only what is urgent from here on interrupts it.
    if (lead.order) await lead.order.step(`${agent} begins`, turnOnly)
    const loop = runLoop(lead, AbortSignal.any([signal, office.urgent()]))
    let step = await loop.next()
    for (; !step.done; step = await loop.next()) tell({ agent, ...step.value })
    const stop = step.value
    if (office.rooms[0]!.team.state.team.get()?.deleted)
      return { kind: 'error', error: new TeamDeleted(), text: stop.text }
    if (office.hasLostLeadership) return { kind: 'error', error: new LeadershipLost(agent), text: stop.text }
    if (stop.kind === 'aborted' && !signal.aborted) continue
    if (stop.kind !== 'finished') return stop
    await lead.transcript.synced()
    const isBusy = () => !office.isIdle || jobs.list().some(({ state }) => state === 'running')
    const hasNews = () => notices.waiting > 0 || office.hasMail
    office.rest()
    while (!hasNews() && !office.rooms[0]!.team.state.team.get()?.deleted) {
      // What has changed by the time somebody was stirred is looked at again, not waited for.
      if (isBusy()) await office.changed(signal)
      else if (!(await office.wakeStalled())) break
      if (signal.aborted) return { kind: 'aborted', text: stop.text }
    }
    if (hasNews() || office.rooms[0]!.team.state.team.get()?.deleted) continue
    const { limitReached: heldBackBy } = office
    if (heldBackBy === 'turns') return { kind: 'limit', limit: 'turns', text: stop.text }
    if (heldBackBy === 'dollars') return { kind: 'budget', spent: lead.used.purse.dollars, text: stop.text }
    const feedback = await stopHookFeedback(office.context, office.rooms[0]!, goneOn, signal)
    if (feedback === undefined) return stop
    goneOn++
    notices.add({ text: feedback })
  }
}

/** Hooks may refuse a prompt, or add to it. */
async function withHooks(
  { context: { hooks, store }, lead, rooms }: Supervisor,
  prompt: string,
  signal: AbortSignal,
  tell: (event: SessionEvent) => void,
): Promise<{ refusal: string | undefined; content: string }> {
  if (!hooks?.has('UserPromptSubmit')) return { refusal: undefined, content: prompt }
  const agent = lead.name
  const { team, by } = rooms[0]!
  const fence = createFence({ team, presence: store.presence }, by)
  const show = (ran: RanHook) => tell({ type: 'hook', agent, ...ran })
  const { refusal, context } = await hooks.run('UserPromptSubmit', { agent, prompt }, { signal, fence }, show)
  return { refusal, content: context === '' ? prompt : `${prompt}\n\n[added by a hook of the user]\n${context}` }
}

export class TeamDeleted extends TeamError {
  readonly code = 'team_deleted'
  constructor() {
    super('The team was deleted while it worked; everything about it is in .teams/.deleted.')
  }
}

export class PromptRefused extends TeamError {
  readonly code = 'prompt_refused'
  constructor(why: string) {
    super(`A hook refused the prompt: ${why}. Ask in another way, or change the hook in your settings.`)
  }
}

/** Before it is sent: a prompt that no request can hold would stay in the conversation. */
function refuseTooLarge(prompt: string, agent: Agent): void {
  const tokens = tokensIn(prompt)
  const most = Math.max(0, maxPromptTokens(agent) - tokensIn(agent.system))
  if (tokens > most) throw new PromptTooLarge(Buffer.byteLength(prompt), tokens, most, agent.model.name)
}

export class PromptTooLarge extends TeamError {
  readonly code = 'prompt_too_large'
  constructor(bytes: number, tokens: number, most: number, model: string) {
    super(
      `The prompt has ${bytes} bytes, about ${tokens} tokens; with ${model} a prompt may have about ${most}. ` +
        'Nothing was sent. Put the text into a file and name its path in the prompt, or use a model with a larger window (-m).',
    )
  }
}
