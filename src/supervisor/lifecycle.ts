import type { OpenAgent } from '../agent/agent.ts'
import type { AgentEvent, Stop } from '../agent/agent-event.ts'
import type { Inbox } from '../agent/input/inbox.ts'
import type { Membership } from '../agent/membership.ts'
import { limitOf, type SessionContext } from '../agent/session-context.ts'
import { awaitsAnswer } from '../agent/transcript/transcript-fold.ts'
import { Superseded } from '../journal/log/store-errors.ts'
import { inOrder } from '../journal/replay/ordered-team.ts'
import type { Author } from '../team/event.ts'
import { isPresent, type Member } from '../team/members/member.ts'
import { planGate } from '../team/members/plan-gate.ts'
import { type NextStep, nextStep } from '../team/progress/next-step.ts'
import { isRefusal } from '../team/refusal.ts'
import { heldBy, memberNamed } from '../team/state.ts'
import { asError } from './errors.ts'
import { guardInput } from './guard-input.ts'
import { isByUser, noteInterruption } from './interruption.ts'
import type { OpenAgents } from './open-agents.ts'
import { agreeToStop, stopMember } from './shutdown/shutdown.ts'
import { turnEndFeedback } from './stop-hook.ts'
import { createActivity } from './teammate/activity.ts'
import { createHandOver } from './teammate/hand-over.ts'
import type { HealthTracker } from './teammate/health.ts'
import { createHeldTask } from './teammate/held-task.ts'
import { reportTurn } from './teammate/report-turn.ts'
import { createReports } from './teammate/reports.ts'
import { STOPPING, type Turn, URGENT, watchTurn } from './turn.ts'

/** One agent of a session in this process: it works, is idle, is woken, and ends once. */
export interface Lifecycle {
  readonly name: string
  readonly generation: number
  /** It works, or is about to. */
  readonly isBusy: boolean
  /** It works, and its model has been silent for too long. */
  readonly isSilent: boolean
  /** It would work if a limit of the run did not prevent it. */
  readonly isHeldByLimit: boolean
  readonly hasEnded: boolean
  /** How its last turn ended, or what ended it. */
  readonly lastStop: Stop
  /** Something changed: urgent mail interrupts its turn, and it wakes when it has something to do. */
  checkForWork(): void
  /** Wakes it when it is idle with a task in hand and nothing else will. False if it was reminded often enough. */
  remind(): boolean
  /** The user ends its turn: it keeps its task, and is idle until the next message. False if it is not in a turn. */
  interrupt(): boolean
  /** Ends it in this process, for this reason if it is a failure; what is written stays resumable. */
  end(failure?: Error): Promise<void>
}

export interface LifecycleOptions {
  readonly context: SessionContext
  /** The team it works in, and its lead, in whose name the runtime decides. */
  readonly lead: Membership
  readonly agents: Pick<OpenAgents, 'open' | 'close'>
  readonly health: HealthTracker
  readonly by: Author
  /** Of a lead, which stays open while it is idle: what waits there decides what it does next. */
  readonly inbox?: Inbox
  /** Of a lead: something changed while it is idle. */
  checkIdle?(): void
  /** It starts when this resolves. */
  readonly started: Promise<void>
  /** It was brought back after its process died, or its run ended: it continues a conversation that was cut off. */
  readonly isResumed: boolean
  /** The user ended its last turn, and no message came since. */
  readonly isInterrupted?: boolean
  /** Ids of urgent messages that wait for it. */
  urgentMail(): readonly string[]
  /** All other teammates are idle or wait for a silent model. */
  areOthersSilent(): boolean
  onEvent(event: AgentEvent): void
  /** It has ended here; `cause` says why if something went wrong. */
  onEnd(cause?: unknown): void
}

/**
 * starting  waits for its start, or has had no turn since it was brought back
 * working   decides what to do next, or runs a turn; a turn that urgent mail interrupted is taken again
 * idle      has nothing to do and costs nothing until `wake` is called
 * ended     final in this process: stopped, lost, parked, or its run ended
 */
type Phase =
  | { readonly name: 'starting' }
  | { readonly name: 'working'; readonly turn?: Turn; readonly isTakenAgain?: boolean }
  | { readonly name: 'idle'; readonly wake: () => void }
  | { readonly name: 'ended' }

export function startLifecycle(options: LifecycleOptions): Lifecycle {
  const { context, lead, agents, by, inbox, isResumed } = options
  const { clock, run } = context
  const { idle: idleTimeout } = context.supervisor
  const { team } = lead
  const { name } = by
  const generation = by.generation!
  const isLead = inbox !== undefined
  const ending = new AbortController()
  const endTurn = (reason: unknown) => phase.name === 'working' && phase.turn?.interrupt(reason)
  const reports = createReports({ team, clock }, by, endTurn)
  const held = createHeldTask(name, isResumed)
  const handOver = createHandOver({ context, team, by, tellTask: (agent) => tellTask(agent, false) })
  const activity = createActivity({ team, by, health: options.health, reports, current })
  const seenUrgent = new Set(options.urgentMail())
  let phase: Phase = { name: 'starting' }
  let lastStop: Stop = { kind: 'finished', text: '' }
  let isInterrupted = options.isInterrupted ?? false
  let failure: unknown

  const ended = live()
    .finally(() => reports.pending)
    .then(
      () => finish(),
      (error) => (ending.signal.aborted || error instanceof Superseded ? finish() : finish(error)),
    )

  return {
    name,
    generation,
    get isBusy() {
      return phase.name === 'starting' || phase.name === 'working'
    },
    get isSilent() {
      return phase.name === 'working' && (phase.turn?.isSilent ?? false)
    },
    get isHeldByLimit() {
      const member = current()
      return (
        !isLead && member !== undefined && limitOf(context) !== undefined && nextStep(team.state, member) !== 'rest'
      )
    },
    get hasEnded() {
      return phase.name === 'ended'
    },
    get lastStop(): Stop {
      return failure === undefined ? lastStop : { kind: 'error', error: asError(failure), text: lastStop.text }
    },
    checkForWork() {
      // Also while it is idle: urgent mail that wakes an agent must not interrupt it afterwards.
      const urgent = options.urgentMail().filter((id) => !seenUrgent.has(id))
      for (const id of urgent) seenUrgent.add(id)
      if (urgent.length > 0) endTurn(URGENT)
      if (phase.name === 'idle' && !isInterrupted) options.checkIdle?.()
      if (phase.name === 'idle' && dueStep() !== 'rest') phase.wake()
    },
    remind() {
      const member = current()
      if (isLead || isInterrupted || phase.name !== 'idle' || !member) return false
      if (!heldBy(team.state, name) || limitOf(context) !== undefined) return false
      // Its plan waits for an answer, which another member owes.
      if (planGate(team.state, member) === 'pending' || !held.remind()) return false
      phase.wake()
      return true
    },
    interrupt: () => phase.name === 'working' && (phase.turn?.interruptByUser() ?? false),
    async end(cause) {
      failure ??= cause
      ending.abort()
      if (phase.name === 'idle') phase.wake()
      await ended
    },
  }

  function finish(cause?: unknown): void {
    phase = { name: 'ended' }
    failure ??= cause
    options.onEnd(cause)
  }

  /** The member as long as this generation of it may act. */
  function current(): Member | undefined {
    const member = memberNamed(team.state, name)
    return member?.generation === generation && isPresent(member) && member.status !== 'lost' ? member : undefined
  }

  /** What it does next; undefined once it may not act any more. */
  function dueStep(): NextStep | undefined {
    if (inbox) return inbox.hasInput() ? 'read_mail' : 'rest'
    const member = current()
    if (!member) return undefined
    const step = nextStep(team.state, member)
    // Stopping needs no model call.
    if (step !== 'stop' && step !== 'approve_shutdown' && limitOf(context) !== undefined) return 'rest'
    if (isInterrupted && (step === 'claim' || step === 'continue_task')) return 'rest'
    if (step !== 'continue_task') return step
    return held.isDue(heldBy(team.state, name)!) ? step : 'rest'
  }

  async function live(): Promise<void> {
    await options.started
    // A conversation that was cut off continues by itself; a lead begins each run with a turn.
    if (isResumed && (isLead || current()) && !ending.signal.aborted) await takeTurn()
    while (!ending.signal.aborted) {
      await inOrder(team, `${name} decides`)
      if (ending.signal.aborted) return
      const step = dueStep()
      if (step === undefined) return
      // Only a claim does not wait until the lead has its last result.
      if (reports.pending && step !== 'claim') {
        await reports.pending
        continue
      }
      if (phase.name === 'working' && phase.isTakenAgain && step !== 'stop') {
        phase = { name: 'working' }
        held.forget()
        await takeTurn()
        continue
      }
      switch (step) {
        case 'stop':
          return stopMember(context, lead, by)
        case 'approve_shutdown':
          await agreeToStop(context, lead, by)
          continue
        case 'claim':
          if (await claim()) await takeTurn()
          else await rest()
          continue
        case 'read_mail':
        case 'continue_task':
          await takeTurn()
          continue
        case 'rest':
          await rest()
      }
    }
  }

  async function claim(): Promise<boolean> {
    // The model is called meanwhile; nothing follows from its answer before the claim is durable.
    const answer = await team.run({ type: 'task.claim' }, { by, until: 'written' })
    return !isRefusal(answer) && heldBy(team.state, name) !== undefined
  }

  /** Runs turns until the model has nothing more to do and no Stop hook objects, then reports. */
  async function takeTurn(): Promise<void> {
    const agent = await agents.open(by)
    const isCutOff = awaitsAnswer(agent.transcript.state)
    if (!isLead) await tellTask(agent, isCutOff)
    const isDue = isLead || agent.inbox.notices.waiting > 0 || isCutOff || dueStep() === 'read_mail'
    if (!isDue) return agents.close(by)
    let stop = await runTurn(agent, isCutOff)
    // The Stop hook of a lead runs when its run is about to end.
    for (let continued = 0; stop.kind === 'finished' && !isLead; continued++) {
      const feedback = await turnEndFeedback(context, { team, by }, continued, ending.signal)
      if (feedback === undefined) break
      agent.inbox.notices.add({ text: feedback })
      stop = await runTurn(agent, false)
    }
    agent.flushReports()
    await agents.close(by)
    if (ending.signal.aborted) return
    if (isLead && stop.kind === 'finished') await agent.transcript.synced()
    await afterTurn(stop, agent)
  }

  async function tellTask(agent: OpenAgent, isCutOff: boolean): Promise<void> {
    const earlierWords = () => held.earlierAttempts(team)
    const earlier = await (team.order ? team.order.step(`${name} is told`, earlierWords) : earlierWords())
    if (current()) held.tell(agent, team.state, isCutOff, earlier)
  }

  async function runTurn(agent: OpenAgent, isCutOff: boolean): Promise<Stop> {
    const turn = watchTurn({ ...options, isLead, isCutOff })
    phase = { name: 'working', turn }
    if (isLead) agent.setActivity('working')
    const reportWorking = isLead ? async () => {} : activity.reportWorking
    const signal = AbortSignal.any([ending.signal, turn.signal])
    const guarded = guardInput(agent, handOver, signal, () => mayContinue(turn))
    const loop = agent.runTurn(guarded, signal)
    // A conversation that was cut off may have no input before its model call.
    let shown = isCutOff ? reportWorking() : undefined
    try {
      turn.onEvent()
      let step = await loop.next()
      for (; !step.done; step = await loop.next()) {
        const event: AgentEvent = step.value
        turn.onEvent(event)
        held.onEvent(event, team.state)
        if (event.type === 'input_received') isInterrupted = false
        handOver.onEvent(event)
        shown ??= reportWorking()
        // Reported before what the agent does next.
        if (event.type === 'answered') await shown
        options.onEvent(event)
        run.emit({ ...event, agent: name })
      }
      const isEndedByUser = isByUser(step.value, turn.signal.reason)
      if (isEndedByUser) run.emit({ ...(await noteInterruption(agent)), agent: name })
      isInterrupted ||= isEndedByUser
      // An interruption by the user does not end the run.
      lastStop = isEndedByUser ? { kind: 'finished', text: step.value.text } : step.value
      return step.value
    } finally {
      turn.stop()
      await shown
    }
  }

  /** Throws once the agent must not take further input. */
  function mayContinue(turn: Turn): void {
    const status = current()?.status
    if (status === 'stopping') turn.interrupt(STOPPING)
    if (status === undefined && !isLead) ending.abort()
    ending.signal.throwIfAborted()
    turn.signal.throwIfAborted()
  }

  async function afterTurn(stop: Stop, agent: OpenAgent): Promise<void> {
    await inOrder(team, `${name} stops`)
    const reason = phase.name === 'working' ? phase.turn?.signal.reason : undefined
    phase = { name: 'working', isTakenAgain: stop.kind === 'aborted' && reason === URGENT }
    if (phase.isTakenAgain || isByUser(stop, reason) || (isLead && stop.kind === 'finished')) return
    // Any other stop of the lead ends the run.
    if (isLead) return ending.abort()
    if (await reportTurn({ context, lead, by, held, reports, member: current() }, { stop, reason, agent }))
      ending.abort()
  }

  /** Reports once that it is idle, and waits for `wake`, without polling or model calls. */
  async function rest(): Promise<void> {
    if (isLead) (await agents.open(by)).setActivity('idle')
    // A resumed agent that finds nothing to do reported that before its process ended.
    else await activity.reportIdle({ isKnown: isResumed && phase.name === 'starting' })
    if (dueStep() !== 'rest' || ending.signal.aborted) return
    const cancelIdleTimeout =
      idleTimeout === undefined || isLead
        ? () => {}
        : clock.in(idleTimeout, () => void stopAfterIdle().catch(() => phase.name === 'idle' && phase.wake()))
    await new Promise<void>((resolve) => {
      phase = {
        name: 'idle',
        wake() {
          phase = { name: 'working' }
          resolve()
        },
      }
      run.onChange()
    })
    cancelIdleTimeout()
  }

  async function stopAfterIdle(): Promise<void> {
    if (phase.name !== 'idle' || heldBy(team.state, name)) return
    const text = `stops by itself, because it had nothing to do for ${idleTimeout} s`
    await team.report([reports.message('idle_notification', text)], { by })
    await team.run({ type: 'member.stop', name, reason: 'had nothing to do for too long' }, { by })
    if (phase.name === 'idle') phase.wake()
  }
}
