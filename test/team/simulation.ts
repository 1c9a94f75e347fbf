import type { Stop } from '../../src/agent/agent-event.ts'
import { openTeam, type TeamHandle } from '../../src/journal/team-handle.ts'
import type { Model, ModelRequest } from '../../src/models/model.ts'
import { openSession } from '../../src/session/open-session.ts'
import type { Session } from '../../src/session/session.ts'
import { createPlace, openMemoryStore, type Place } from '../../src/stores/memory/store.ts'
import { isPresent } from '../../src/team/members/member.ts'
import { hasUnheardResults } from '../../src/team/progress/lead-wakes.ts'
import { memberNamed, roster, unreadOf } from '../../src/team/state.ts'
import { composedModel } from '../../src/testing/harnesses/composed-model.ts'
import { workspaceOn } from '../../src/testing/harnesses/session-harness.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { createRandom, type Random } from '../storms/random.ts'
import { openCrashingStore, type Process } from './crashing-store.ts'
import { answerFor, nextMessage, type SimulationState, type TeammateOptions } from './simulated-answers.ts'

export const TEAM = 'sim'

/** Faults happen in the first steps only; a simulation that needs more than the maximum counts as hanging. */
const FAULTY_STEPS = 28
const MAX_STEPS = 700

export interface Simulated {
  readonly place: Place
  /** Broken promises seen during the simulation. */
  readonly faults: readonly string[]
  readonly steps: number
  readonly calls: number
  readonly deaths: number
  /** How often a session was closed while a teammate waited for its model. */
  readonly cuts: number
}

/** A model request that waits for its answer. */
interface Asked {
  readonly request: ModelRequest
  readonly answer: () => void
  isHung: boolean
}

/** One simulated process: a session, its run, and the open requests to its model. */
interface SimulatedProcess extends Process {
  readonly asked: Asked[]
  session?: Session
  run?: { stop?: Stop; readonly abort: AbortController }
}

/** Simulates a team from one seed: its board, its members, their answers, and every fault. */
export async function simulate(seed: number, root: string): Promise<Simulated> {
  const random = createRandom(seed)
  const place = createPlace()
  const clock = manualClock()
  const roles = ['dev', 'tester', 'writer'].slice(0, 1 + random.below(3))
  const left = { messages: 5, refusals: 4, failures: 3, stops: 2, spawns: 2, reopens: 3 }
  const simulation: SimulationState = {
    random,
    isFaultFree: false,
    left,
    teammates: teammates(random, roles),
    messages: 0,
  }
  const faults: string[] = []
  const count = { calls: 0, deaths: 0, cuts: 0 }
  await using outside = await openMemoryStore(place)
  await using user = await openTeam(outside, TEAM, { clock })
  await user.run({ type: 'team.create', team: TEAM })
  await user.run({ type: 'task.add', tasks: board(random, roles) })

  let current = await begin(random.below(3) > 0 ? 10 + random.below(110) : Number.POSITIVE_INFINITY)
  /** When the session is closed while a model is asked, and opened again. */
  let cut = (['in a run', 'between runs', 'never'] as const)[seed % 3]
  let step = 0
  // What comes after a broken promise is not looked at: a team that can no longer settle would take all the steps.
  for (; step < MAX_STEPS && faults.length === 0; step++) {
    await settle()
    if (step >= FAULTY_STEPS) simulation.isFaultFree = true
    if (simulation.isFaultFree) current.missesChanges = false
    if (current.isDead) {
      count.deaths++
      await abandon(current)
      const crashesAgain = !simulation.isFaultFree && count.deaths < 3 && random.below(2) === 0
      current = await begin(crashesAgain ? 5 + random.below(80) : Number.POSITIVE_INFINITY)
    } else if (cut === 'in a run' && step > 9 && isTeammateAsked(current)) await closeAndReopen()
    else if (!current.run) startRun(current, current.session!.team.state.mailboxes.size === 0 ? 'Go.' : undefined)
    else if (current.run.stop) {
      if (current.run.stop.kind !== 'finished' && isTeammateAsked(current))
        faults.push('an agent works on after its run has ended')
      if (current.run.stop.kind === 'finished' && (await hasUnheardResult(user)))
        faults.push('a run has ended with a result that its lead has not received')
      const isOver = current.run.stop.kind === 'finished' && !(await isWorkLeft(user))
      if (isOver && cut === 'between runs') {
        cut = 'never'
        await wakeTeammate()
        if (isTeammateAsked(current)) await closeAndReopen()
      } else if (isOver && simulation.isFaultFree) break
      if (isOver) simulation.isFaultFree = true
      current.run = undefined
    } else await act(current)
  }
  if (step === MAX_STEPS) faults.push(`it does not settle: ${await describeState(user, current)}`)
  await close(current)
  return { place, faults, steps: step, calls: count.calls, deaths: count.deaths, cuts: count.cuts }

  async function begin(writesLeft: number): Promise<SimulatedProcess> {
    const current: SimulatedProcess = {
      place,
      clock,
      random,
      writesLeft,
      missesChanges: false,
      isDead: false,
      writes: 0,
      asked: [],
    }
    const store = await openCrashingStore(current)
    current.session = await openSession({
      workspace: workspaceOn(store, root, () => String(seed)),
      model: modelOf(current),
      team: TEAM,
      clock,
      permissions: { mode: 'bypassPermissions' },
      sandbox: { mode: 'off' },
      env: {},
    }).catch((error) => {
      if (current.isDead) return undefined
      throw error
    })
    return current
  }

  function startRun(current: SimulatedProcess, prompt: string | undefined): void {
    const run: NonNullable<SimulatedProcess['run']> = { abort: new AbortController() }
    current.run = run
    const loop = current.session!.run(prompt, run.abort.signal)
    const consume = async () => {
      let next = await loop.next()
      while (!next.done) next = await loop.next()
      run.stop = next.value
    }
    consume().catch((error) => {
      run.stop = { kind: 'error', error, text: '' }
    })
  }

  /** The next step: mostly an agent gets its answer, sometimes a fault happens. */
  async function act(current: SimulatedProcess): Promise<void> {
    const ready = current.asked.filter(({ isHung }) => !isHung)
    const roll = simulation.isFaultFree ? 0 : random.below(100)
    if (roll < 76 && ready.length > 0) return random.pick(ready).answer()
    if (roll < 76) return clock.advance(random.pick(simulation.isFaultFree ? [2, 31, 121, 901] : [1, 2, 31]))
    if (roll < 84) return clock.advance(1 + random.below(3))
    if (roll < 86) return clock.advance(random.pick([31, 121, 901, 40_000]))
    if (roll < 91) return write()
    if (roll < 93) return void (await user.run({ type: 'task.add', tasks: board(random, roles).slice(0, 1) }))
    if (roll < 96) {
      current.missesChanges = !current.missesChanges
      return
    }
    if (roll < 98) {
      const mate = ready.find(({ request }) => request.agent !== 'lead' && !request.agent.includes('/'))
      if (mate) mate.isHung = true
      return
    }
    if (roll < 99) return current.run?.abort.abort()
    current.writesLeft = random.below(3)
  }

  /** Another process sends a message to a member, present or not. */
  async function write(): Promise<void> {
    await user.refresh()
    const { name } = random.pick(roster(user.state))
    const extra = random.below(4) === 0 ? { extra: { urgent: true } } : {}
    await user.send({ to: name, content: nextMessage(simulation), ...extra })
  }

  async function close(current: SimulatedProcess): Promise<void> {
    await current.session?.close().catch((error) => {
      // The process may die while it closes.
      if (!current.isDead) throw error
    })
    const [asked] = current.isDead ? [] : current.asked
    if (asked) faults.push(`${asked.request.agent} waits for its model although its session is closed`)
    const before = { calls: count.calls, writes: current.writes }
    clock.advance(86_400)
    await settle()
    if (count.calls > before.calls) faults.push('a model was asked after its team had been closed')
    if (!current.isDead && current.writes > before.writes)
      faults.push('something was written after its team had been closed')
  }

  /** Closes the session while agents work; a new one continues. */
  async function closeAndReopen(): Promise<void> {
    cut = 'never'
    count.cuts++
    await close(current)
    if (!current.isDead) current = await begin(Number.POSITIVE_INFINITY)
  }

  /** Sends a message to an idle teammate between runs. */
  async function wakeTeammate(): Promise<void> {
    const mate = roster(user.state).find(({ name, status }) => name !== 'lead' && status === 'idle')
    if (mate) await user.send({ to: mate.name, content: nextMessage(simulation) })
    await settle()
  }

  /** Releases what is left of a dead process in memory. */
  async function abandon(current: SimulatedProcess): Promise<void> {
    current.run?.abort.abort()
    current.session?.close().catch(() => {})
    await settle()
  }

  function modelOf(current: SimulatedProcess): Model {
    return composedModel(
      (request, signal) =>
        new Promise((resolve, reject) => {
          if (current.isDead) return reject(new Error('dead'))
          count.calls++
          checkRequest(current, request)
          const asked: Asked = { request, isHung: false, answer }
          current.asked.push(asked)
          const forget = () => {
            current.asked.splice(current.asked.indexOf(asked), 1)
            signal.removeEventListener('abort', drop)
          }
          const drop = () => {
            forget()
            reject(signal.reason)
          }
          function answer(): void {
            forget()
            try {
              resolve(answerFor(simulation, current.session!.team.state, request))
            } catch (error) {
              reject(error)
            }
          }
          signal.addEventListener('abort', drop)
        }),
    ).model
  }

  /** A stopped or lost agent must not ask its model. */
  function checkRequest({ session }: SimulatedProcess, { agent }: ModelRequest): void {
    const status = session && !agent.includes('/') && memberNamed(session.team.state, agent)?.status
    if (status === 'stopped' || status === 'lost')
      faults.push(`${agent} asks its model although it is ${status} (record ${session?.team.cursor.seq})`)
  }
}

function isTeammateAsked({ asked, isDead }: SimulatedProcess): boolean {
  return !isDead && asked.some(({ request }) => request.agent !== 'lead')
}

/** Whether a present member has unread mail that must cause a turn. */
async function isWorkLeft(user: TeamHandle): Promise<boolean> {
  await user.refresh()
  return roster(user.state).some(
    (member) =>
      isPresent(member) &&
      member.status !== 'lost' &&
      // An idle notification causes no turn: the lead receives it with its next input.
      unreadOf(user.state, member.name).some(({ message }) => message.type !== 'idle_notification'),
  )
}

/** Whether the lead has an unread result: a run that settles gives it all of them. */
async function hasUnheardResult(user: TeamHandle): Promise<boolean> {
  await user.refresh()
  return hasUnheardResults(user.state, () => false)
}

async function describeState(user: TeamHandle, { run, asked }: SimulatedProcess): Promise<string> {
  await user.refresh()
  const members = roster(user.state).map(
    ({ name, status, generation }) => `${name}/${generation} ${status} unread ${unreadOf(user.state, name).length}`,
  )
  const tasks = [...user.state.tasks.values()].map(({ id, status }) => `${id} ${status}`)
  const requests = [...user.state.requests.values()].filter(({ state }) => state === 'pending').map(({ id }) => id)
  const waiting = asked.map(({ request, isHung }) => `${request.agent}${isHung ? ' (hung)' : ''}`)
  return JSON.stringify({ members, tasks, requests, waiting, stop: run?.stop?.kind })
}

function teammates(random: Random, roles: readonly string[]): TeammateOptions[] {
  const names = ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay'].slice(0, 2 + Math.min(random.below(5), random.below(5)))
  return names.map((name) => ({ name, role: random.pick(roles), require_plan: random.below(5) === 0 }))
}

function board(random: Random, roles: readonly string[]) {
  return Array.from({ length: 2 + random.below(4) }, (_, i) => ({
    subject: `task ${i + 1}`,
    description: '',
    priority: random.below(11),
    blockedBy: Array.from({ length: i }, (_, at) => String(at + 1)).filter(() => random.below(4) === 0),
    // One role is of no member: the lead is called for that task, and it may stay on the board.
    ...(random.below(2) === 0 && { role: random.below(8) === 0 ? 'painter' : random.pick(roles) }),
    ...(random.below(6) === 0 && { wakeLead: true }),
    files: ['a.ts', 'b.ts', 'lib/', 'lib/c.ts'].filter(() => random.below(5) === 0),
  }))
}

/** Lets everything happen that needs no time, no answer and no other process. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
}
