import type { Stop } from '../../src/agent/agent-event.ts'
import { openTeam, type TeamHandle } from '../../src/journal/team-handle.ts'
import type { Model, ModelRequest } from '../../src/models/model.ts'
import { openSession } from '../../src/session/open-session.ts'
import type { Session } from '../../src/session/session.ts'
import { createPlace, openMemoryStore, type Place } from '../../src/stores/memory/store.ts'
import { isPresent } from '../../src/team/member.ts'
import { memberNamed, roster, unreadOf } from '../../src/team/state.ts'
import { composedModel } from '../../src/testing/harnesses/composed-model.ts'
import { workspaceOn } from '../../src/testing/harnesses/session-harness.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { createRandom, type Random } from '../storms/random.ts'
import { openCrashingStore, type Process } from './crashing-store.ts'
import { letter, type Mood, think, type Wish } from './simulated-answers.ts'

export const TEAM = 'sim'

/** After so many steps it becomes calm; after so many in all it counts as hanging. */
const STORMY = 28
const MOST = 700

export interface Simulated {
  readonly place: Place
  /** What must never be, seen on the way. */
  readonly faults: readonly string[]
  readonly steps: number
  readonly calls: number
  readonly deaths: number
  /** How often a session was closed while a teammate waited for its model. */
  readonly cuts: number
}

/** A call of a model that waits for its answer. */
interface Asked {
  readonly request: ModelRequest
  readonly answer: () => void
  isHung: boolean
}

/** One life of the process: a session, its run, and what its models were asked. */
interface Life extends Process {
  readonly asked: Asked[]
  session?: Session
  run?: { stop?: Stop; readonly abort: AbortController }
}

/** A whole team from one number: its board, its people, what they think, and everything that befalls them. */
export async function simulate(seed: number, root: string): Promise<Simulated> {
  const random = createRandom(seed)
  const place = createPlace()
  const clock = manualClock()
  const roles = ['dev', 'tester', 'writer'].slice(0, 1 + random.below(3))
  const left = { letters: 5, refusals: 4, failures: 3, stops: 2, spawns: 2, reopens: 3 }
  const mood: Mood = { random, isCalm: false, left, wishes: wishes(random, roles), letters: 0 }
  const faults: string[] = []
  const count = { calls: 0, deaths: 0, cuts: 0 }
  await using outside = await openMemoryStore(place)
  await using user = await openTeam(outside, TEAM, { clock })
  await user.run({ type: 'team.create', team: TEAM })
  await user.run({ type: 'task.add', tasks: board(random, roles) })

  let life = await begin(random.below(3) > 0 ? 10 + random.below(110) : Number.POSITIVE_INFINITY)
  /** When the session is closed although somebody thinks, and opened again. */
  let cut = (['in a run', 'between runs', 'never'] as const)[seed % 3]
  let step = 0
  for (; step < MOST; step++) {
    await quiet()
    if (step >= STORMY) mood.isCalm = true
    if (mood.isCalm) life.isDeaf = false
    if (life.isDead) {
      count.deaths++
      await bury(life)
      const isMortalAgain = !mood.isCalm && count.deaths < 3 && random.below(2) === 0
      life = await begin(isMortalAgain ? 5 + random.below(80) : Number.POSITIVE_INFINITY)
    } else if (cut === 'in a run' && step > 9 && isMateAsked(life)) await cutOff()
    else if (!life.run) startRun(life, life.session!.team.state.mailboxes.size === 0 ? 'Go.' : undefined)
    else if (life.run.stop) {
      if (life.run.stop.kind !== 'finished' && isMateAsked(life))
        faults.push('somebody works on after its run has ended')
      const isOver = life.run.stop.kind === 'finished' && !(await isWorkLeft(user))
      if (isOver && cut === 'between runs') {
        cut = 'never'
        await wakeSomebody()
        if (isMateAsked(life)) await cutOff()
      } else if (isOver && mood.isCalm) break
      if (isOver) mood.isCalm = true
      life.run = undefined
    } else await act(life)
  }
  if (step === MOST) faults.push(`it does not settle: ${await standing(user, life)}`)
  await close(life)
  return { place, faults, steps: step, calls: count.calls, deaths: count.deaths, cuts: count.cuts }

  async function begin(writesLeft: number): Promise<Life> {
    const life: Life = { place, clock, random, writesLeft, isDeaf: false, isDead: false, writes: 0, asked: [] }
    const store = await openCrashingStore(life)
    life.session = await openSession({
      workspace: workspaceOn(store, root, () => String(seed)),
      model: modelOf(life),
      team: TEAM,
      clock,
      permissions: { mode: 'bypassPermissions' },
      sandbox: { mode: 'off' },
      env: {},
    }).catch((error) => {
      if (life.isDead) return undefined
      throw error
    })
    return life
  }

  function startRun(life: Life, prompt: string | undefined): void {
    const run: NonNullable<Life['run']> = { abort: new AbortController() }
    life.run = run
    const loop = life.session!.run(prompt, run.abort.signal)
    const consume = async () => {
      let next = await loop.next()
      while (!next.done) next = await loop.next()
      run.stop = next.value
    }
    consume().catch((error) => {
      run.stop = { kind: 'error', error, text: '' }
    })
  }

  /** What happens next: mostly somebody gets an answer; now and then something goes wrong. */
  async function act(life: Life): Promise<void> {
    const ready = life.asked.filter(({ isHung }) => !isHung)
    const dice = mood.isCalm ? 0 : random.below(100)
    if (dice < 76 && ready.length > 0) return random.pick(ready).answer()
    if (dice < 76) return clock.advance(random.pick(mood.isCalm ? [2, 31, 121, 901] : [1, 2, 31]))
    if (dice < 84) return clock.advance(1 + random.below(3))
    if (dice < 86) return clock.advance(random.pick([31, 121, 901, 40_000]))
    if (dice < 91) return write()
    if (dice < 93) return void (await user.run({ type: 'task.add', tasks: board(random, roles).slice(0, 1) }))
    if (dice < 96) {
      life.isDeaf = !life.isDeaf
      return
    }
    if (dice < 98) {
      const mate = ready.find(({ request }) => request.agent !== 'lead' && !request.agent.includes('/'))
      if (mate) mate.isHung = true
      return
    }
    if (dice < 99) return life.run?.abort.abort()
    life.writesLeft = random.below(3)
  }

  /** Somebody writes from another process, to whoever is there or was. */
  async function write(): Promise<void> {
    await user.refresh()
    const { name } = random.pick(roster(user.state))
    const extra = random.below(4) === 0 ? { extra: { urgent: true } } : {}
    await user.send({ to: name, content: letter(mood), ...extra })
  }

  async function close(life: Life): Promise<void> {
    await life.session?.close().catch((error) => {
      // It may die over it.
      if (!life.isDead) throw error
    })
    const [asked] = life.isDead ? [] : life.asked
    if (asked) faults.push(`${asked.request.agent} waits for its model although its session is closed`)
    const before = { calls: count.calls, writes: life.writes }
    clock.advance(86_400)
    await quiet()
    if (count.calls > before.calls) faults.push('a model was asked after its team had been closed')
    if (!life.isDead && life.writes > before.writes) faults.push('something was written after its team had been closed')
  }

  /** The session is closed in the middle of things; another one goes on. */
  async function cutOff(): Promise<void> {
    cut = 'never'
    count.cuts++
    await close(life)
    if (!life.isDead) life = await begin(Number.POSITIVE_INFINITY)
  }

  /** A letter for whoever is there, although nothing runs. */
  async function wakeSomebody(): Promise<void> {
    const mate = roster(user.state).find(({ name, status }) => name !== 'lead' && status === 'idle')
    if (mate) await user.send({ to: mate.name, content: letter(mood) })
    await quiet()
  }

  /** A dead process does nothing more; what is left of it in memory is let go. */
  async function bury(life: Life): Promise<void> {
    life.run?.abort.abort()
    life.session?.close().catch(() => {})
    await quiet()
  }

  function modelOf(life: Life): Model {
    return composedModel(
      (request, signal) =>
        new Promise((resolve, reject) => {
          if (life.isDead) return reject(new Error('dead'))
          count.calls++
          checkAsker(life, request)
          const asked: Asked = { request, isHung: false, answer }
          life.asked.push(asked)
          const forget = () => {
            life.asked.splice(life.asked.indexOf(asked), 1)
            signal.removeEventListener('abort', drop)
          }
          const drop = () => {
            forget()
            reject(signal.reason)
          }
          function answer(): void {
            forget()
            try {
              resolve(think(mood, life.session!.team.state, request))
            } catch (error) {
              reject(error)
            }
          }
          signal.addEventListener('abort', drop)
        }),
    ).model
  }

  /** Nobody thinks who has stopped or counts as lost. */
  function checkAsker({ session }: Life, { agent }: ModelRequest): void {
    const status = session && !agent.includes('/') && memberNamed(session.team.state, agent)?.status
    if (status === 'stopped' || status === 'lost')
      faults.push(`${agent} asks its model although it is ${status} (record ${session?.team.cursor.seq})`)
  }
}

function isMateAsked({ asked, isDead }: Life): boolean {
  return !isDead && asked.some(({ request }) => request.agent !== 'lead')
}

/** Is there mail for somebody who is there, which nobody has noticed yet? */
async function isWorkLeft(user: TeamHandle): Promise<boolean> {
  await user.refresh()
  return roster(user.state).some(
    (member) =>
      isPresent(member) &&
      member.status !== 'lost' &&
      // That a teammate rests never causes a turn: the lead hears it with its next one.
      unreadOf(user.state, member.name).some(({ message }) => message.type !== 'idle_notification'),
  )
}

async function standing(user: TeamHandle, { run, asked }: Life): Promise<string> {
  await user.refresh()
  const members = roster(user.state).map(
    ({ name, status, generation }) => `${name}/${generation} ${status} unread ${unreadOf(user.state, name).length}`,
  )
  const tasks = [...user.state.tasks.values()].map(({ id, status }) => `${id} ${status}`)
  const requests = [...user.state.requests.values()].filter(({ state }) => state === 'pending').map(({ id }) => id)
  const waiting = asked.map(({ request, isHung }) => `${request.agent}${isHung ? ' (hung)' : ''}`)
  return JSON.stringify({ members, tasks, requests, waiting, stop: run?.stop?.kind })
}

function wishes(random: Random, roles: readonly string[]): Wish[] {
  const names = ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay'].slice(0, 2 + Math.min(random.below(5), random.below(5)))
  return names.map((name) => ({ name, role: random.pick(roles), require_plan: random.below(5) === 0 }))
}

function board(random: Random, roles: readonly string[]) {
  return Array.from({ length: 2 + random.below(4) }, (_, i) => ({
    subject: `task ${i + 1}`,
    description: '',
    priority: random.below(11),
    blockedBy: Array.from({ length: i }, (_, at) => String(at + 1)).filter(() => random.below(4) === 0),
    ...(random.below(2) === 0 && { role: random.pick(roles) }),
    files: ['a.ts', 'b.ts', 'lib/', 'lib/c.ts'].filter(() => random.below(5) === 0),
  }))
}

/** Everything that can happen without time, an answer or somebody else has happened. */
async function quiet(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
}
