import type { Agent, OpenAgent } from '../agent/agent.ts'
import type { AgentEvent, Stop } from '../agent/agent-event.ts'
import { shortenResult } from '../agent/fit-text.ts'
import { runLoop } from '../agent/loop.ts'
import { requestSent } from '../agent/receive-input.ts'
import type { Silence } from '../agent/silence.ts'
import { inOrder } from '../journal/ordered-team.ts'
import { Superseded } from '../journal/store-errors.ts'
import { limitText } from '../prompts/limit.ts'
import type { Author, TeamEvent } from '../team/event.ts'
import { isPresent, type Member } from '../team/member.ts'
import { isAsking, nextStep } from '../team/next-step.ts'
import { planGate } from '../team/plan-gate.ts'
import { isRefusal } from '../team/refusal.ts'
import { heldBy, memberNamed } from '../team/state.ts'
import type { HealthTracker } from './health.ts'
import { createHeldTask, MAX_REMINDERS } from './held-task.ts'
import type { OpenAgents } from './open-agents.ts'
import { createReports } from './reports.ts'
import { agreeToStop, stopMember } from './shutdown.ts'
import { FINISHED, park, SILENT, watchTurn } from './silent-turn.ts'
import { Stalled } from './stalled.ts'
import type { SupervisedTeamOptions } from './supervisor-options.ts'

/** One agent of a team in this process: it works, rests, is woken, and stops once. */
export interface Lifecycle {
  readonly name: string
  readonly generation: number
  /** It works, or has reason to. */
  readonly isBusy: boolean
  /** It works, and its model has been silent for too long. */
  readonly isSilent: boolean
  /** There may be something for it to do. */
  checkForWork(): void
  /** What it does right now is dropped, and it hears what is new. */
  interrupt(): void
  /** It would work if a limit of the run did not keep it from it. */
  readonly isHeldByLimit: boolean
  /** It rests with a task in its hands although nobody will wake it: it is told so. False if that did not help before. */
  remind(): boolean
  /** Ends its life here; everything stays as it is written down. */
  end(): Promise<void>
}

export interface LifecycleOptions {
  readonly plan: SupervisedTeamOptions
  readonly desks: OpenAgents
  readonly health: HealthTracker
  readonly by: Author
  /** Its life begins when this resolves. */
  readonly begin: Promise<void>
  /** It was brought back after its process had died. */
  readonly isBack: boolean
  /** All that other teammates still do is wait for a silent model. */
  areOthersSilent(): boolean
  /** It works again: whoever doubted may stop doubting. */
  onAnswer(): void
  /** It is gone for good, by itself; `cause` says why if something was wrong. */
  onEnd(cause?: unknown): void
}

const URGENT = Object.assign(new Error('Something urgent came in.'), { name: 'AbortError' })
const STOPPING = Object.assign(new Error('It agreed to stop.'), { name: 'AbortError' })

export function startLifecycle(life: LifecycleOptions): Lifecycle {
  const { plan, desks, health, by, begin, isBack, onAnswer, onEnd } = life
  const { team, clock, settings } = plan
  const { name } = by
  const generation = by.generation!
  const over = new AbortController()
  let turn = new AbortController()
  const voice = createReports(plan, by, (error) => turn.abort(error))
  let isBusy = true
  let wake = () => {}
  const held = createHeldTask(name, isBack)
  let hasWorked = false
  let silence: Silence | undefined
  /** Something urgent cut it off in the middle. */
  let isCut = false

  const me = (): Member | undefined => {
    const member = memberNamed(team.state, name)
    return member?.generation === generation && isPresent(member) && member.status !== 'lost' ? member : undefined
  }
  const stepOf = (member: Member) => {
    const step = nextStep(team.state, member)
    // Stopping needs no model call.
    if (step !== 'leave' && step !== 'agree' && !plan.mayWork()) return 'rest'
    if (step !== 'go on') return step
    return held.isDue(heldBy(team.state, name)!) ? step : 'rest'
  }

  const lived = live()
    .finally(() => voice.pending)
    .then(
      () => onEnd(),
      (error) => (over.signal.aborted || error instanceof Superseded ? onEnd() : onEnd(error)),
    )

  return {
    name,
    generation,
    get isBusy() {
      return isBusy
    },
    get isSilent() {
      return silence?.isSilent ?? false
    },
    checkForWork() {
      const member = me()
      if (member && stepOf(member) === 'rest') return
      isBusy = true
      wake()
    },
    get isHeldByLimit() {
      const member = me()
      return member !== undefined && !plan.mayWork() && nextStep(team.state, member) !== 'rest'
    },
    interrupt: () => turn.abort(URGENT),
    remind() {
      const member = me()
      if (isBusy || !member || !heldBy(team.state, name) || !plan.mayWork()) return false
      // Its plan waits for an answer: that is for somebody else to give.
      if (planGate(team.state, member) === 'pending' || !held.remind()) return false
      isBusy = true
      wake()
      return true
    },
    async end() {
      over.abort()
      wake()
      await lived
    },
  }

  async function live(): Promise<void> {
    await begin
    // A conversation that was cut off in the middle goes on by itself.
    if (isBack && me() && !over.signal.aborted) await talk()
    for (let member = me(); member && !over.signal.aborted; member = me()) {
      if (team.order) member = await inOrder(team, `${name} decides`).then(me)
      if (!member || over.signal.aborted) return
      const step = stepOf(member)
      // Only a claim does not wait until the lead has heard its last words.
      if (voice.pending && step !== 'claim') {
        await voice.pending
        continue
      }
      if (isCut && step !== 'leave') {
        isCut = false
        held.forget()
        await talk()
        continue
      }
      switch (step) {
        case 'leave':
          return stopMember(plan, by)
        case 'agree':
          await agreeToStop(plan, by)
          continue
        case 'claim':
          if (await claim()) await talk()
          else await rest(member)
          continue
        case 'hear':
        case 'go on':
          await talk()
          continue
        case 'rest':
          await rest(member)
      }
    }
  }

  async function claim(): Promise<boolean> {
    // The model is asked about it meanwhile; nothing follows from its answer before it is durable.
    const answer = await team.run({ type: 'task.claim' }, { by, until: 'written' })
    return !isRefusal(answer) && heldBy(team.state, name) !== undefined
  }

  /** Works until it has nothing more to say, then reports. */
  async function talk(): Promise<void> {
    const desk = await desks.open(by)
    const { turns } = desk.transcript.state
    const isCutOff = turns.length > 0 && turns.at(-1)?.role !== 'assistant'
    const earlierWords = () => held.earlierWords(team)
    const earlier = await (team.order ? team.order.step(`${name} is told`, earlierWords) : earlierWords())
    const member = me()
    if (member) held.tell(desk, team.state, isCutOff, earlier)
    const isDue = desk.notices.waiting > 0 || isCutOff || (member && nextStep(team.state, member) === 'hear')
    if (!isDue) return desks.close(by)
    let stop = await converseAt(desk, isCutOff)
    for (let goneOn = 0; stop.kind === 'finished'; goneOn++) {
      const feedback = await plan.stopHookFeedback?.(by, goneOn, over.signal)
      if (feedback === undefined) break
      desk.notices.add({ text: feedback })
      stop = await converseAt(desk, false)
    }
    desk.flushReports()
    await desks.close(by)
    if (over.signal.aborted) return
    await afterwards(stop, desk)
  }

  async function converseAt(open: OpenAgent, isCutOff: boolean): Promise<Stop> {
    hasWorked = true
    turn = new AbortController()
    let quiet = () => {}
    const listening = watchTurn(life, (reason) => turn.abort(reason))
    silence = listening
    const signOfLife = (event?: AgentEvent) => {
      quiet()
      listening.hear(event)
      // Whoever waits for a person is not to blame for the silence.
      quiet = clock.in(settings.stall, () =>
        isAsking(team.state, by) ? signOfLife() : turn.abort(new Stalled(name, settings.stall)),
      )
    }
    const mayGoOn = () => {
      const status = me()?.status
      if (status === 'stopping') turn.abort(STOPPING)
      // Somebody stopped it: nobody is left who could think.
      if (status === undefined) over.abort()
      over.signal.throwIfAborted()
      turn.signal.throwIfAborted()
    }
    const conversation: Agent = {
      ...open,
      async nextInput() {
        mayGoOn()
        const news = await open.nextInput()
        mayGoOn()
        return news
      },
    }
    const loop = runLoop(conversation, AbortSignal.any([over.signal, turn.signal]))
    // Whoever goes on in the middle may have nothing to hear first.
    let shown = isCutOff ? showThatItWorks() : undefined
    try {
      signOfLife()
      let step = await loop.next()
      for (; !step.done; step = await loop.next()) {
        const event = step.value
        signOfLife(event)
        shown ??= showThatItWorks()
        if (event.type === 'input_received') held.heard()
        // What it does next is shown behind it.
        if (event.type === 'answered') await shown.then(onAnswer)
        if (event.type === 'tool_finished' && ASKS.has(event.call.toolName) && !event.result.isError)
          held.hasAsked = true
        plan.emit({ ...event, agent: name })
      }
      return step.value
    } finally {
      quiet()
      listening.stop()
      await shown
    }
  }

  /** The model is asked before anybody is told that it is. */
  async function showThatItWorks(): Promise<void> {
    await requestSent()
    if (team.order) await inOrder(team, `${name} works`)
    const events: TeamEvent[] = health.change({ name, generation }, 'working')
    // Whoever goes on from task to task works all the time.
    if (me()?.status !== 'working') events.unshift({ type: 'member.activity', name, generation, status: 'working' })
    if (events.length > 0) voice.report(events)
  }

  /** What its turn came to: the lead is told, and a task in its hands does not lie there for ever. */
  async function afterwards(stop: Stop, desk: OpenAgent): Promise<void> {
    if (team.order) await inOrder(team, `${name} stops`)
    const task = heldBy(team.state, name)
    switch (stop.kind) {
      case 'aborted':
        if (turn.signal.reason === SILENT) return park(plan, by, voice).then(() => over.abort())
        if (![URGENT, STOPPING, FINISHED].includes(turn.signal.reason)) throw turn.signal.reason
        if (turn.signal.reason === FINISHED)
          plan.emit({ type: 'note', agent: name, text: `${name} was not waited for: its team is finished.` })
        // It may have heard the urgent word already, or lost sight of its task: it goes on from there.
        if (turn.signal.reason === URGENT) isCut = true
        return
      case 'error':
        throw stop.error
      case 'budget':
        return voice.sendToLead('error', `${name} stopped where it was: the budget of this run is used up.`)
      case 'limit': {
        const why = limitText(stop)
        // Its task is not at fault: it stays in hand until the run ends, and is parked with its owner.
        if (task && stop.limit !== 'turns') await team.run({ type: 'task.fail', id: task.id, reason: why }, { by })
        else voice.sendToLead('error', `${name} stopped where it was: ${why}.`)
        return
      }
      case 'finished': {
        const member = me()
        if (!member || planGate(team.state, member) === 'pending') return
        if (stop.text.trim() !== '') voice.sendResult(shortenResult(stop.text, desk.memory.keep), desk.transcript)
        if (!task || held.hasAsked || held.remind()) return
        const reason = `${name} ended its turn ${MAX_REMINDERS + 1} times without completing it`
        await team.run({ type: 'task.fail', id: task.id, reason }, { by })
      }
    }
  }

  /** Says so once, and waits. Nothing is asked, polled or paid for meanwhile. */
  async function rest(member: Member): Promise<void> {
    const status = planGate(team.state, member) === 'pending' ? 'waiting_approval' : 'idle'
    if (member.status !== status) {
      const events: TeamEvent[] = [{ type: 'member.activity', name, generation, status }]
      const task = heldBy(team.state, name)
      const content = task ? `waits, holding task ${task.id}` : 'has nothing to do'
      if (status === 'idle') events.push(...health.change({ name, generation }, 'idle'))
      // One that came back and found nothing to do had said that before its process ended.
      if (status === 'idle' && (!isBack || hasWorked)) events.push(voice.message('idle_notification', content))
      await team.report(events, { by })
    }
    const now = me()
    if (!now || stepOf(now) !== 'rest' || over.signal.aborted) return
    const tired =
      settings.idle === undefined ? () => {} : clock.in(settings.idle, () => void retire().catch(() => wake()))
    isBusy = false
    plan.onIdle()
    await new Promise<void>((resolve) => {
      wake = resolve
    })
    tired()
  }

  async function retire(): Promise<void> {
    if (isBusy || heldBy(team.state, name)) return
    const words = `stops by itself, because it had nothing to do for ${settings.idle} s`
    await team.report([voice.message('idle_notification', words)], { by })
    await team.run({ type: 'member.stop', name, reason: 'had nothing to do for too long' }, { by })
    wake()
  }
}

const ASKS = new Set(['SendMessage', 'send_message'])
