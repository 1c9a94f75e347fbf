import { isAborted } from '../agent/aborted.ts'
import { type Agent, noUsage } from '../agent/agent.ts'
import type { Stop } from '../agent/agent-event.ts'
import { createChannel } from '../agent/channel.ts'
import { createCompaction } from '../agent/compaction/compaction.ts'
import { PICTURE_TOKENS, tokensIn } from '../agent/compaction/weigh.ts'
import { createFence } from '../agent/fence.ts'
import { maxPromptTokens } from '../agent/input/choose-mail.ts'
import type { SessionEvent } from '../agent/session-event.ts'
import type { RanHook } from '../permissions/hooks/hooks.ts'
import { limitText } from '../prompts/limit.ts'
import { promptWithHookText } from '../prompts/notices.ts'
import { withoutResources } from '../prompts/resource.ts'
import type { AttachedImage } from '../tools/files/prompt-images.ts'
import { offer } from '../tools/run-call.ts'
import { damagesIn } from './damages.ts'
import { asError, PromptRefused, PromptTooLarge } from './errors.ts'
import { throwIfRefused } from './lead/take-lead.ts'
import { keepFiles, promptFiles, type TypedPrompt } from './prompt-files.ts'
import { keepImages, promptImages } from './prompt-images.ts'
import { stopHookFeedback } from './stop-hook.ts'
import type { Supervisor } from './supervisor.ts'

/** What a run begins with. */
export interface RunInput {
  readonly prompt?: string | undefined
  /** What a person typed of it. */
  readonly typed?: TypedPrompt | undefined
}

/** Sends the prompt and lets lead and teammates work until the team has settled. `begin` refuses a second run at once. */
export async function* runSession(
  supervisor: Supervisor,
  input: RunInput,
  signal: AbortSignal,
  begin: () => () => void,
): AsyncGenerator<SessionEvent, Stop> {
  const end = begin()
  const { run, model, limitsAllRuns } = supervisor.context
  const callerLeft = new AbortController()
  const channel = createChannel<SessionEvent>()
  if (!limitsAllRuns) run.used = noUsage()
  run.endedBy = undefined
  // What happens between two runs goes there too.
  const { emit } = run
  run.emit = (event) => {
    emit(event)
    channel.put(event)
  }
  const over = AbortSignal.any([signal, callerLeft.signal])
  const release = () => model.order?.release('the run was interrupted')
  over.addEventListener('abort', release)
  const stop = runToEnd(supervisor, input, over)
    .finally(() => over.removeEventListener('abort', release))
    .finally(channel.end)
  stop.catch(() => {})
  run.end = async () => {
    callerLeft.abort()
    await stop.catch(() => {})
  }
  let isLeft = true
  try {
    yield* channel
    isLeft = false
  } finally {
    // A caller that stops reading events wants the run to stop; all that is written stays resumable.
    if (isLeft) await run.end()
    run.emit = emit
    end()
  }
  return stop
}

/** Summarises the conversation of the lead; the lead itself is not called. */
export async function* compact(
  { context, lead }: Supervisor,
  focus: string | undefined,
  signal: AbortSignal,
  begin: () => () => void,
): AsyncGenerator<SessionEvent, Stop> {
  const end = begin()
  if (!context.limitsAllRuns) context.run.used = noUsage()
  const agent = lead.name
  try {
    let text = '[Nothing to compress.]'
    const compaction = createCompaction(lead, () => offer(lead.tools))
    const cut = await compaction.shorten()
    if (cut) text = `Shortened: about ${cut.before} tokens became ${cut.after}.`
    for await (const event of compaction.summarise({ trigger: 'manual', focus }, signal)) {
      if (event.type === 'compacted') text = `Compressed: about ${event.before} tokens became ${event.after}.`
      yield { agent, ...event }
    }
    return { kind: 'finished', text }
  } catch (error) {
    if (isAborted(error, signal)) return { kind: 'aborted', text: '' }
    return { kind: 'error', error: asError(error), text: '' }
  } finally {
    await lead.settleReports().finally(end)
  }
}

/** Sends the prompt and waits until the team has settled. A failure is the result of the run, never thrown. */
async function runToEnd(supervisor: Supervisor, { prompt, typed }: RunInput, signal: AbortSignal): Promise<Stop> {
  const { lead, context } = supervisor
  let text = ''
  try {
    await supervisor.scaling.begin()
    await supervisor.resume()
    for (const text of supervisor.supervisedTeams.flatMap(({ team }) => damagesIn(team)))
      context.run.emit({ type: 'problem', agent: lead.name, text })
    if (prompt !== undefined) {
      await sendPrompt(supervisor, prompt, { signal, typed, onSend: () => lead.setActivity('working') })
    }
    const isLedByCode = prompt === undefined && context.scaling.length > 0
    const stop = await untilSettled(supervisor, isLedByCode, signal)
    text = stop.text
    if (stop.kind === 'finished')
      await (context.keepsMembers ? supervisor.scaling.stopLost() : supervisor.scaling.end())
    // Only a team that settled stays as it is: what stopped the lead stops its teammates.
    if (stop.kind !== 'finished') await supervisor.parkAll(whyEnded(stop))
    lead.setActivity('idle')
    await lead.settleReports()
    return stop
  } catch (error) {
    const failure = asError(error)
    await supervisor.parkAll(`the run failed: ${failure.message}`)
    lead.setActivity('idle')
    // If that fails too, the first error is the one to report; the next run meets the second one itself.
    await lead.settleReports().catch(() => {})
    return { kind: 'error', error: failure, text }
  }
}

/** Why a run ended in the middle of the work, for agents whose work was cut off. */
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
 * The lead works, is idle, and is woken by what happens in its teams. The team has settled when no agent works, nothing
 * is ready, no request is open, and the lead has received all mail that is worth a turn.
 */
async function untilSettled(supervisor: Supervisor, isLedByCode: boolean, signal: AbortSignal): Promise<Stop> {
  const { lead, scaling } = supervisor
  const lifecycle = supervisor.startLead(isLedByCode)
  const end = () => void lifecycle.end()
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  const isBusy = () =>
    lifecycle.isBusy || !supervisor.isIdle || lead.jobs.list().some(({ state }) => state === 'running')
  try {
    for (let continued = 0, corrected = 0; ; ) {
      if (lifecycle.hasEnded) return signal.aborted ? aborted(lifecycle.lastStop) : lifecycle.lastStop
      lifecycle.checkForWork()
      while (scaling.isDue && !signal.aborted) await scaling.startNext()
      if (isBusy()) {
        await supervisor.changed(signal)
        // An aborted signal is no change: the lead is still ending its turn.
        if (signal.aborted) await lifecycle.end()
        continue
      }
      // What changed while agents were woken is checked again at once.
      if (await supervisor.wakeStalled()) continue
      const { text } = lifecycle.lastStop
      if (supervisor.limitReached === 'turns') return { kind: 'limit', limit: 'turns', text }
      if (supervisor.limitReached === 'dollars') return { kind: 'budget', spent: lead.used.purse.dollars, text }
      // A Stop hook does not continue what the user has interrupted.
      const feedback = lead.transcript.state.isInterrupted
        ? undefined
        : ((await stopHookFeedback(supervisor.context, supervisor.ownTeam, continued++, signal)) ??
          answerFeedback(supervisor, lifecycle.lastStop, corrected++, signal))
      if (feedback === undefined) return signal.aborted ? aborted(lifecycle.lastStop) : lifecycle.lastStop
      lead.inbox.notices.add({ text: feedback })
    }
  } finally {
    signal.removeEventListener('abort', end)
    await lifecycle.end()
  }
}

/** How often a lead is asked to correct its answer, so that one that cannot does not spend without end. */
const MAX_CORRECTIONS = 3

/** What the caller has against the answer with which the run would end. */
function answerFeedback(
  { context }: Supervisor,
  { kind, text }: Stop,
  corrected: number,
  signal: AbortSignal,
): string | undefined {
  if (kind !== 'finished' || signal.aborted || corrected >= MAX_CORRECTIONS) return undefined
  return context.checkAnswer?.(text)
}

function aborted({ text }: Stop): Stop {
  return { kind: 'aborted', text }
}

/** What comes with the words of a person: others may have written it, so nothing in it is looked up. */
export interface Attached {
  readonly text?: string
  readonly images?: readonly AttachedImage[]
}

export interface PromptOptions {
  readonly signal: AbortSignal
  readonly attached?: Attached | undefined
  /** What a person typed of it: files that it names are attached. */
  readonly typed?: TypedPrompt | undefined
  /** The line that a person typed, where a command made the prompt from it. */
  readonly line?: string | undefined
  /** Called with nothing awaited before the prompt is sent, so that what it reports and the prompt are one write. */
  onSend?(): void
}

/**
 * Gives a prompt to the lead, which reads it before its next model call. Throws, with nothing sent, what a hook or its size
 * has against it.
 */
export async function sendPrompt(supervisor: Supervisor, prompt: string, options: PromptOptions): Promise<void> {
  const { signal, typed = { text: '' }, attached = {} } = options
  const { lead, ownTeam } = supervisor
  const found = promptImages(supervisor, withoutResources(prompt), { attached: attached.images, cwd: typed.cwd })
  const { refusal, content } = await runPromptHooks(supervisor, prompt + (attached.text ?? ''), signal)
  if (refusal !== undefined) throw new PromptRefused(refusal)
  const left = tokensLeft(content, lead, found.images.length * PICTURE_TOKENS)
  const files = await promptFiles(supervisor, typed, Math.floor(left / 2), signal)
  const { chips, images } = keepImages(supervisor, found)
  const copies = keepFiles(supervisor, files)
  options.onSend?.()
  const text = [content, ...chips].join('\n')
  const line = options.line || typed.text || text
  const extra = {
    prompt: true,
    ...(line !== text && { typed: line }),
    ...(images.length > 0 && { images: [...images] }),
    ...(copies.length > 0 && { attached: [...copies] }),
  }
  throwIfRefused(await ownTeam.team.send({ to: lead.name, content: text, extra }))
}

/** Hooks may refuse a prompt, or add to it. */
async function runPromptHooks(
  { context: { hooks, store, run }, lead, ownTeam }: Supervisor,
  prompt: string,
  signal: AbortSignal,
): Promise<{ refusal: string | undefined; content: string }> {
  if (!hooks?.has('UserPromptSubmit')) return { refusal: undefined, content: prompt }
  const agent = lead.name
  const fence = createFence({ team: ownTeam.team, presence: store.presence }, ownTeam.by)
  const show = (ran: RanHook) => run.emit({ type: 'hook', agent, ...ran })
  const { refusal, context } = await hooks.run('UserPromptSubmit', { agent, prompt }, { signal, fence }, show)
  return { refusal, content: promptWithHookText(prompt, context) }
}

/** Checked before it is sent: a prompt that no request can hold would stay in the conversation. */
function tokensLeft(prompt: string, agent: Agent, imageTokens: number): number {
  const tokens = tokensIn(prompt) + imageTokens
  const maxTokens = Math.max(0, maxPromptTokens(agent) - tokensIn(agent.system))
  if (tokens > maxTokens) throw new PromptTooLarge(Buffer.byteLength(prompt), tokens, maxTokens, agent.model.name)
  return maxTokens - tokens
}
