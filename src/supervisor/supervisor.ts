import { limitReached } from '../agent/agent.ts'
import { isSelectable } from '../agent/chosen-model.ts'
import { createMembership } from '../agent/membership.ts'
import type { ReportingAgent } from '../agent/open-agent.ts'
import type { SessionContext } from '../agent/session-context.ts'
import { turnOnly } from '../journal/order.ts'
import { orderedTeam } from '../journal/ordered-team.ts'
import type { JournalLoss } from '../journal/rewound.ts'
import { openTeam } from '../journal/team-handle.ts'
import { isFinished } from '../team/finished.ts'
import { isFenced } from '../team/mail.ts'
import type { Message } from '../team/message.ts'
import { nameKey } from '../team/name.ts'
import { isRefusal, type Refusal, refuse } from '../team/refusal.ts'
import { checkName } from '../team/rights.ts'
import { unreadOf } from '../team/state.ts'
import type { DeletedTeam, SpawnedTeammate, SpawnOptions, TeamControl } from '../tools/team-control.ts'
import type { Memberships } from '../tools/team-membership.ts'
import { createRequestAnswers } from './answer-requests.ts'
import { goneWords, isLedBy } from './leading-session.ts'
import { type LedTeam, openLead, wakesLead } from './open-lead.ts'
import { openTeammate } from './open-teammate.ts'
import { runInPlaceOf } from './replacement.ts'
import { shutDownTeam } from './shut-down-team.ts'
import { stopHookFeedback } from './stop-hook.ts'
import { openSupervisedTeam, type SupervisedTeam } from './supervised-team.ts'
import { giveUpLead, JournalMissing, takeLead } from './take-lead.ts'
import { countUncommitted } from './uncommitted.ts'

/** A team with the crew that works in it. */
interface Room extends LedTeam {
  readonly crew: SupervisedTeam
}

/** How many tasks of a team are not completed. */
export interface UnfinishedTasks {
  readonly team: string
  readonly pending: number
  readonly in_progress: number
  readonly failed: number
}

/** The lead, the teams it leads, and the agents that work in them. */
export interface Supervisor extends TeamControl, Memberships, AsyncDisposable {
  readonly context: SessionContext
  readonly lead: ReportingAgent
  readonly rooms: readonly LedTeam[]
  readonly left: readonly UnfinishedTasks[]
  /** Every agent that ended with a process or a run continues. */
  resume(): Promise<readonly string[]>
  /** Stops the work of every agent, for this reason; all of it stays resumable. */
  parkAll(reason: string): Promise<void>
  readonly isIdle: boolean
  /** The limit of the run that keeps a teammate from what it has to do. */
  readonly limitReached: ReturnType<typeof limitReached>
  /** Is there mail the lead has not heard and that is worth a turn? */
  readonly hasMail: boolean
  /** Everything rests: wakes the agents that can still continue. False when none can. */
  wakeStalled(): Promise<boolean>
  /** A team lost the end of its journal: the user is told, and so is the lead, which may have built on it. */
  reportLoss(loss: JournalLoss): void
  /** That the session leads its team was lost with the end of the journal. */
  readonly hasLostLeadership: boolean
  /** The lead has said all it wanted to. */
  rest(): void
  /** Aborts when something urgent comes for the lead. */
  urgent(): AbortSignal
  /** Resolves when something has changed. */
  changed(signal: AbortSignal): Promise<void>
}

export async function openSupervisor(home: SessionContext, own: LedTeam): Promise<Supervisor> {
  const { order } = home.model
  const rooms: Room[] = []
  const waiting = new Set<() => void>()
  const seen = new Set<string>()
  let turn = new AbortController()
  let hasLostItsPlace = false
  let isLeadAtRest = false
  const wake = () => {
    for (const call of waiting) call()
    waiting.clear()
  }
  const isRunFinished = () => isLeadAtRest && rooms.every(({ team }) => isFinished(team.state))
  const answers = createRequestAnswers(home, wake)
  /** Where task tools and spawns go when no team is named: the one made last. */
  const current = () => rooms.at(-1)!

  function enter({ team, by }: LedTeam): Room {
    const room = { team, by } as Room
    team.watch(({ by, events }) => {
      for (const event of events) {
        home.run.emit({ type: 'team', agent: by.name, team: team.name, event })
        if (event.type === 'team.deleted' && room === rooms[0]) turn.abort(URGENT)
        if (event.type === 'message.sent') interrupt(event.message)
        if (event.type === 'request.opened') answers.onOpened(room, event)
      }
      wake()
    })
    const crew = openSupervisedTeam({
      team,
      lead: by,
      runtime: home.store.presence.self,
      clock: home.clock,
      openAgent: (member, author) => openTeammate(home, team, member, author),
      runInPlaceOf: (task, member, as, signal) =>
        runInPlaceOf(home, desk, { team, by }, { task, member, as, isRunFinished }, signal),
      stopHookFeedback: (agent, goneOn, signal) => stopHookFeedback(home, { team, by: agent }, goneOn, signal),
      uncommitted,
      emit: (event) => home.run.emit(event),
      onIdle: wake,
      isRunFinished,
      mayWork: () => limitReached(home.limits, home.run.used) === undefined,
      settings: home.supervisor,
    })
    rooms.push(Object.assign(room, { crew }))
    return room
  }

  /** An urgent letter drops what the lead does, once. */
  function interrupt({ id, to, from, urgent }: Message): void {
    if (urgent !== true || nameKey(to) !== 'lead' || nameKey(from) === 'lead' || seen.has(id)) return
    seen.add(id)
    turn.abort(URGENT)
  }

  async function openRoom(name: string, description?: string): Promise<Room> {
    const team = await openTeam(home.store, name, {
      clock: home.clock,
      onRewound: office.reportLoss,
      eraser: home.eraser,
    })
    try {
      const by = await takeLead(team, home.store, {
        session: rooms[0]!.team.name,
        description,
        folder: rooms[0]!.team.state.supervisor.get().folder,
      })
      await home.store.presence.announce(name)
      return enter({ team: orderedTeam(team, order, false), by })
    } catch (error) {
      await team.close()
      throw error
    }
  }

  const isOurs = (name: string) => isLedBy(home.store, name, rooms[0]!.team.name)
  const seatIn = ({ team, by }: LedTeam) => createMembership(team, by, (id) => desk.transcript.state.mail.has(id))
  const roomOf = (name: string) => rooms.find(({ team }) => nameKey(team.name) === nameKey(name))

  const office: Supervisor = {
    context: home,
    get lead() {
      return desk
    },
    get rooms() {
      return rooms
    },
    get teams() {
      return rooms.map(({ team }) => team.name)
    },
    membership(name) {
      const room = name === undefined ? current() : roomOf(name)
      return room && seatIn(room)
    },
    get left() {
      return rooms.flatMap(({ team }) => {
        const counts = { pending: 0, in_progress: 0, completed: 0, failed: 0 }
        for (const { status } of team.state.tasks.values()) counts[status]++
        const { completed: _, ...left } = counts
        return left.pending + left.in_progress + left.failed > 0 ? [{ team: team.name, ...left }] : []
      })
    },
    async createTeam(name, description) {
      if (roomOf(name)) return { isNew: false }
      const invalid = checkName(name)
      if (invalid) return invalid
      const { team, by } = rooms[0]!
      if (team.state.leads.get().some((led) => nameKey(led) === nameKey(name)))
        return refuse('wrong_state', { problem: 'journal_missing', team: name, session: team.name })
      const taken = (await home.store.teams()).find((team) => nameKey(team) === nameKey(name))
      // A team of this session that it does not lead: its creation was interrupted, and is completed here.
      if (taken && !(await isOurs(taken))) return refuse('wrong_state', { problem: 'team_taken', team: taken })
      // The team first: a team that this session is on record to lead has had a journal.
      await openRoom(taken ?? name, description)
      const led = await team.run({ type: 'team.lead', team: taken ?? name, leads: true }, { by })
      return isRefusal(led) ? led : { isNew: true }
    },
    async deleteTeam(name) {
      const room = roomOf(name)
      if (!room) return refuse('unknown_team', { team: name })
      if (room === rooms[0]) return refuse('not_allowed', { problem: 'own_team' })
      return removeRoom(room)
    },
    async spawn(plan: SpawnOptions): Promise<SpawnedTeammate | Refusal> {
      if (plan.model !== undefined && !isSelectable(plan.model))
        return refuse('invalid', { problem: 'model', model: plan.model })
      let room = plan.team === undefined ? current() : roomOf(plan.team)
      if (!room) {
        const made = await office.createTeam(plan.team!)
        if (isRefusal(made)) return made
        room = roomOf(plan.team!)!
      }
      return room.crew.spawn(plan)
    },
    async resume() {
      isLeadAtRest = false
      for (const name of rooms[0]!.team.state.leads.get().filter((name) => !roomOf(name))) {
        const isOwn = await isOurs(name)
        if (isOwn === undefined) throw new JournalMissing(name, rooms[0]!.team.name)
        if (isOwn) {
          await openRoom(name)
          continue
        }
        // Its journal says that it was deleted, or another team has its name: that one is not ours.
        await rooms[0]!.team.run({ type: 'team.lead', team: name, leads: false }, { by: rooms[0]!.by })
        desk.notices.add({ text: goneWords(name) })
      }
      const back: string[] = []
      for (const { crew } of rooms) back.push(...(await crew.resume()))
      return back
    },
    async parkAll(reason) {
      home.run.endedBy = reason
      if (order) await order.step('the run stops', turnOnly)
      order?.release('the run was stopped')
      await Promise.all(rooms.map(({ crew }) => crew.parkAll(reason)))
    },
    get isIdle() {
      return !answers.isAsking && !order?.waiting && rooms.every(({ crew }) => crew.isIdle)
    },
    get limitReached() {
      return rooms.some(({ crew }) => crew.isHeldByLimit) ? limitReached(home.limits, home.run.used) : undefined
    },
    get hasMail() {
      const { mail } = desk.transcript.state
      return rooms.some(({ team }) =>
        unreadOf(team.state, 'lead').some((one) => !mail.has(one.message.id) && wakesLead(one)),
      )
    },
    async wakeStalled() {
      // What others wrote last may not have been noticed yet. A failure shows in the next command on that team.
      for (const { team } of rooms) await team.refresh().catch(() => {})
      if (!this.isIdle || this.hasMail) return true
      if (rooms.map(({ crew }) => crew.remind()).some(Boolean)) return true
      return answers.settle(rooms, desk.notices)
    },
    reportLoss({ message: text }) {
      home.run.emit({ type: 'note', agent: 'lead', text })
      desk.notices.add({ text })
      // That this session leads may be lost too: it stops before it says another word.
      hasLostItsPlace = isFenced(rooms[0]!.team.state, rooms[0]!)
      if (hasLostItsPlace) turn.abort(URGENT)
    },
    get hasLostLeadership() {
      return hasLostItsPlace
    },
    rest() {
      isLeadAtRest = true
      desk.reports.setActivity('idle')
    },
    urgent() {
      isLeadAtRest = false
      desk.reports.setActivity('working')
      turn = new AbortController()
      return turn.signal
    },
    changed(signal) {
      return new Promise((resolve) => {
        if (signal.aborted) return resolve()
        // A run waits often: nothing of a wait that is over stays with its signal.
        const done = () => {
          signal.removeEventListener('abort', done)
          waiting.delete(done)
          resolve()
        }
        waiting.add(done)
        order?.moved().then(done)
        for (const job of desk.jobs.list()) if (job.state === 'running') void job.ended.then(done)
        signal.addEventListener('abort', done)
      })
    },
    async [Symbol.asyncDispose]() {
      answers.close()
      order?.release('the session was closed')
      await Promise.all(rooms.map(({ crew }) => crew.close()))
      await desk[Symbol.asyncDispose]()
      for (const { team } of rooms.slice(1)) {
        await giveUpLead(team, home.store, home.run.endedBy)
        await team.close()
      }
    },
  }

  const uncommitted = () => countUncommitted(home)
  /** Every teammate is asked to stop and accounted for; then the team is put away. */
  async function removeRoom(room: Room): Promise<DeletedTeam> {
    const { team, by, crew } = room
    const ended = await shutDownTeam({ team, by, crew, uncommitted, emit: (event) => home.run.emit(event) })
    await crew.close()
    await team.run({ type: 'team.delete' }, { by })
    const letters = await seatIn(room).unread()
    await home.store.presence.withdraw(team.name)
    await team.close()
    rooms.splice(rooms.indexOf(room), 1)
    // On record first: a team that is led and not there would be taken for one whose journal is lost.
    await rooms[0]!.team.run({ type: 'team.lead', team: team.name, leads: false }, { by: rooms[0]!.by })
    await home.store.remove(team.name, false)
    return { ...ended, unread: letters }
  }

  const { crew } = enter(own)
  const desk = await openLead(home, office, () => rooms, isRunFinished).catch(async (error) => {
    await crew.close()
    throw error
  })
  return office
}

const URGENT = Object.assign(new Error('Something urgent came in.'), { name: 'AbortError' })
