import type { OpenAgent } from '../agent/agent.ts'
import { createMembership, type Membership } from '../agent/membership.ts'
import { isSelectable, selectableModel } from '../agent/selectable-model.ts'
import { limitOf, type SessionContext } from '../agent/session-context.ts'
import { awaitsAnswer } from '../agent/transcript/transcript-fold.ts'
import { type JournalLoss, LeadershipLost } from '../journal/fold/rewound.ts'
import { turnOnly } from '../journal/replay/order.ts'
import { orderedTeam } from '../journal/replay/ordered-team.ts'
import { openTeam } from '../journal/team-handle.ts'
import { type SwitchableModel, switchableModel } from '../models/switchable-model.ts'
import { isFenced } from '../team/mail/mail.ts'
import { nameKey } from '../team/name.ts'
import { isFinished } from '../team/progress/finished.ts'
import { isRefusal, type Refusal, refuse } from '../team/refusal.ts'
import { openRequests } from '../team/requests/overdue.ts'
import { checkName } from '../team/rights.ts'
import type { DeletedTeam, SpawnedTeammate, SpawnOptions, TeamControl } from '../tools/team-control.ts'
import { createChangeSignal } from './change-signal.ts'
import { TeamDeleted } from './errors.ts'
import { type Escalations, watchEscalations } from './escalations.ts'
import { createLeadWake } from './lead/lead-wake.ts'
import { goneTeamText, isLedBy } from './lead/leading-session.ts'
import { openLead } from './lead/open-lead.ts'
import { giveUpLead, JournalMissing, takeLead } from './lead/take-lead.ts'
import { type Lifecycle, startLifecycle } from './lifecycle.ts'
import { createRequestAnswers } from './requests/answer-requests.ts'
import { createScaling, type Scaling } from './scaling/scale-roles.ts'
import { shutDownTeam } from './shutdown/shut-down-team.ts'
import { openSupervisedTeam, type SupervisedTeam, urgentMailOf } from './supervised-team.ts'
import { createHealthTracker } from './teammate/health.ts'
import { openTeammate } from './teammate/open-teammate.ts'
import { runInPlaceOf } from './teammate/replacement.ts'

/** How many tasks of a team are not completed. */
export interface UnfinishedTasks {
  readonly team: string
  readonly pending: number
  readonly in_progress: number
  readonly failed: number
}

/** Every agent of a session: the lead, the teams it leads, and the teammates that work in them. */
export interface Supervisor extends TeamControl, AsyncDisposable {
  readonly context: SessionContext
  readonly lead: OpenAgent
  /** The model of the lead's next calls. */
  readonly leadModel: SwitchableModel
  /** The team of the session itself. */
  readonly ownTeam: SupervisedTeam
  readonly supervisedTeams: readonly SupervisedTeam[]
  readonly left: readonly UnfinishedTasks[]
  /** Continues every teammate that ended with a process or a run. */
  resume(): Promise<readonly string[]>
  /**
   * Starts the lead for a run; it works until `end` is called, or a turn ends otherwise than by its answer. It begins with a
   * turn, or `idle` unless its last turn was cut off.
   */
  startLead(isIdle: boolean): Lifecycle
  /** The user ends the turn of this agent: the lead, or a teammate of any team. False if it is not in one. */
  interrupt(agent: string): boolean
  readonly scaling: Scaling
  /** Stops the work of every teammate, for this reason; all of it stays resumable. */
  parkAll(reason: string): Promise<void>
  /** No teammate works, and nothing that waits will make one work. */
  readonly isIdle: boolean
  /** The limit of the run that prevents a teammate from working. */
  readonly limitReached: ReturnType<typeof limitOf>
  /** All agents are idle: wakes those that can still continue. False when none can. */
  wakeStalled(): Promise<boolean>
  /** Between two runs: something waits that a run without a prompt would do. */
  readonly isWorkDue: boolean
  /** Is called when a team was added or removed. */
  onTeamsChanged: () => void
  /** A team lost the end of its journal: tells the user and the lead, which may have relied on it. */
  reportLoss(loss: JournalLoss): void
  /** Resolves when something changed. */
  changed(signal: AbortSignal): Promise<void>
}

export async function openSupervisor(context: SessionContext, own: Membership): Promise<Supervisor> {
  const { order } = context.model
  const leadModel = context.roles?.lead?.model
  const model = switchableModel(
    leadModel === undefined ? context.model : await context.modelFor(selectableModel(leadModel)),
  )
  const teams: SupervisedTeam[] = []
  const escalations = new Map<string, Escalations>()
  const changes = createChangeSignal()
  /** Of the run in progress, or the last one. */
  let leadLifecycle: Lifecycle | undefined
  const isLeadIdle = () => leadLifecycle !== undefined && !leadLifecycle.isBusy
  const onChange = () => {
    leadLifecycle?.checkForWork()
    changes.notify()
  }
  context.run.isFinished = () => isLeadIdle() && teams.every(({ team }) => isFinished(team.state))
  context.run.onChange = changes.notify
  const wake = createLeadWake({
    context,
    teams,
    isDelivered: (id) => lead.transcript.state.mail.has(id),
    hasRunningJob: () => lead.jobs.list().some(({ state }) => state === 'running'),
    notify: (text) => lead.inbox.notices.add({ text }),
    onIdle: onChange,
  })
  const answers = createRequestAnswers(context, changes.notify)
  const teamNamed = (name: string) => teams.find(({ team }) => nameKey(team.name) === nameKey(name))
  const isOurs = (name: string) => isLedBy(context.store, name, own.team.name)
  const membershipIn = ({ team, by }: Membership) =>
    createMembership({ team, by }, (id) => lead.transcript.state.mail.has(id), context.routing)

  function supervise(membership: Membership): SupervisedTeam {
    const { team } = membership
    team.watch(({ by, events }) => {
      for (const event of events) {
        context.run.emit({ type: 'team', agent: by.name, team: team.name, event })
        if (event.type === 'team.deleted' && team === own.team) void leadLifecycle?.end(new TeamDeleted())
        if (event.type === 'request.opened') answers.onOpened(membership, event)
      }
      wake.onEvents(team.name, events)
      onChange()
    })
    const supervised = openSupervisedTeam(context, membership, {
      openAgent: (member, by) => openTeammate(context, team, member, by),
      runInPlaceOf: (run) => runInPlaceOf(context, lead, membership, run),
    })
    teams.push(supervised)
    escalations.set(team.name, watchEscalations(context, membership))
    return supervised
  }

  async function openFurtherTeam(name: string, description?: string): Promise<void> {
    const { store, clock, eraser } = context
    const team = await openTeam(store, name, { clock, eraser, onRewound: supervisor.reportLoss })
    try {
      const { folder } = own.team.state.supervisor.get()
      const by = await takeLead(team, store, { session: own.team.name, description, folder })
      await store.presence.announce(name)
      supervise({ team: orderedTeam(team, order, false), by })
      supervisor.onTeamsChanged()
    } catch (error) {
      await team.close()
      throw error
    }
  }

  const supervisor: Supervisor = {
    context,
    get lead() {
      return lead
    },
    leadModel: model,
    ownTeam: supervise(own),
    supervisedTeams: teams,
    get left() {
      return teams.flatMap(({ team }) => {
        const counts = { pending: 0, in_progress: 0, completed: 0, failed: 0 }
        for (const { status } of team.state.tasks.values()) counts[status]++
        const { completed: _, ...left } = counts
        return left.pending + left.in_progress + left.failed > 0 ? [{ team: team.name, ...left }] : []
      })
    },
    async createTeam(name, description) {
      if (teamNamed(name)) return { isNew: false }
      const invalid = checkName(name)
      if (invalid) return invalid
      const { team, by } = own
      if (team.state.leads.get().some((led) => nameKey(led) === nameKey(name)))
        return refuse('wrong_state', { problem: 'journal_missing', team: name, session: team.name })
      const taken = (await context.store.teams()).find((team) => nameKey(team) === nameKey(name))
      // A team of this session that it does not lead: its creation was interrupted, and is completed here.
      if (taken && !(await isOurs(taken))) return refuse('wrong_state', { problem: 'team_taken', team: taken })
      // The team first: a team that this session is on record to lead has had a journal.
      await openFurtherTeam(taken ?? name, description)
      const led = await team.run({ type: 'team.lead', team: taken ?? name, leads: true }, { by })
      return isRefusal(led) ? led : { isNew: true }
    },
    async deleteTeam(name) {
      const team = teamNamed(name)
      if (!team) return refuse('unknown_team', { team: name })
      if (team === supervisor.ownTeam) return refuse('not_allowed', { problem: 'own_team' })
      return removeTeam(team)
    },
    async spawn(options: SpawnOptions): Promise<SpawnedTeammate | Refusal> {
      // The lead is a member too, and idle while no run is going on.
      const invalid = checkName(options.name)
      if (invalid) return invalid
      if (options.model !== undefined && !isSelectable(options.model))
        return refuse('invalid', { problem: 'model', model: options.model })
      if (options.team !== undefined && !teamNamed(options.team)) {
        const made = await supervisor.createTeam(options.team)
        if (isRefusal(made)) return made
      }
      const team = options.team === undefined ? teams.at(-1)! : teamNamed(options.team)!
      return team.spawn(options)
    },
    async resume() {
      const { team, by } = own
      for (const name of team.state.leads.get().filter((name) => !teamNamed(name))) {
        const isOwn = await isOurs(name)
        if (isOwn === undefined) throw new JournalMissing(name, team.name)
        if (isOwn) {
          await openFurtherTeam(name)
          continue
        }
        // Its journal says that it was deleted, or another team has its name: that one is not ours.
        await team.run({ type: 'team.lead', team: name, leads: false }, { by })
        lead.inbox.notices.add({ text: goneTeamText(name) })
      }
      const resumed: string[] = []
      for (const team of teams) resumed.push(...(await team.resume()))
      return resumed
    },
    get scaling() {
      return scaling
    },
    startLead(isIdle) {
      const { state } = lead.transcript
      leadLifecycle = startLifecycle({
        context,
        lead: own,
        agents: { open: async () => lead, close: async () => {} },
        health: createHealthTracker(),
        by: own.by,
        inbox: lead.inbox,
        checkIdle: wake.check,
        started: Promise.resolve(),
        isResumed: awaitsAnswer(state) || !isIdle,
        isInterrupted: state.isInterrupted,
        urgentMail: () => teams.flatMap(({ team, by }) => urgentMailOf(team.state, by.name)),
        areOthersSilent: () => false,
        onEvent() {},
        onEnd: changes.notify,
      })
      return leadLifecycle
    },
    interrupt(agent) {
      if (nameKey(agent) === 'lead') return leadLifecycle?.interrupt() ?? false
      return teams.some((team) => team.interrupt(agent))
    },
    async parkAll(reason) {
      context.run.endedBy = reason
      if (order) await order.step('the run stops', turnOnly)
      order?.release('the run was stopped')
      await Promise.all(teams.map((team) => team.parkAll(reason)))
    },
    get isIdle() {
      return !answers.isAsking && !order?.waiting && teams.every((team) => team.isIdle)
    },
    get limitReached() {
      return scaling.isHeldByLimit || teams.some((team) => team.isHeldByLimit) ? limitOf(context) : undefined
    },
    async wakeStalled() {
      // What other processes wrote last may not be folded yet. A failure shows in the next command on that team.
      for (const { team } of teams) await team.refresh().catch(() => {})
      if (!isLeadIdle() || !supervisor.isIdle || lead.inbox.hasInput()) return true
      // A request that is open delays the results: its reminder or its answer comes first.
      if (!teams.some(({ team }) => openRequests(team.state).length > 0) && wake.hearResults()) return true
      if (teams.map((team) => team.remind()).some(Boolean)) return true
      for (const one of escalations.values()) if (await one.passOnAll()) return true
      return (await answers.settle(teams, lead.inbox.notices)) || wake.hearResults()
    },
    get isWorkDue() {
      if (!lead.transcript.state.isInterrupted) wake.check()
      return !supervisor.isIdle || lead.inbox.hasInput() || wake.hearResults()
    },
    onTeamsChanged() {},
    reportLoss({ message: text }) {
      context.run.emit({ type: 'note', agent: 'lead', text })
      lead.inbox.notices.add({ text })
      // That this session leads its team may be lost too: the lead then stops before its next model call.
      if (isFenced(own.team.state, own)) void leadLifecycle?.end(new LeadershipLost(lead.name))
    },
    changed: (signal) =>
      changes.next(signal, (notify) => {
        void order?.moved().then(notify)
        for (const job of lead.jobs.list()) if (job.state === 'running') void job.ended.then(notify)
      }),
    async [Symbol.asyncDispose]() {
      answers.close()
      wake.close()
      for (const one of escalations.values()) one.close()
      order?.release('the session was closed')
      await Promise.all(teams.map((team) => team.close()))
      await lead[Symbol.asyncDispose]()
      for (const { team } of teams.slice(1)) {
        await giveUpLead(team, context.store, context.run.endedBy)
        await team.close()
      }
    },
  }

  /** Shuts down every teammate of the team, then archives it. */
  async function removeTeam(supervised: SupervisedTeam): Promise<DeletedTeam> {
    const { team, by } = supervised
    const ended = await shutDownTeam(context, supervised)
    escalations.get(team.name)?.close()
    escalations.delete(team.name)
    await supervised.close()
    await team.run({ type: 'team.delete' }, { by })
    const unread = await membershipIn(supervised).unread()
    await context.store.presence.withdraw(team.name)
    await team.close()
    teams.splice(teams.indexOf(supervised), 1)
    supervisor.onTeamsChanged()
    // Recorded first: a team that is led and missing would be taken for one whose journal is lost.
    await own.team.run({ type: 'team.lead', team: team.name, leads: false }, { by: own.by })
    await context.store.remove(team.name, false)
    return { ...ended, unread }
  }

  const scaling = createScaling(context, supervisor.ownTeam)
  const leadOptions = { teams: () => teams, control: supervisor, model, waking: wake, onNotice: onChange }
  const lead = await openLead(context, leadOptions).catch(async (error) => {
    await supervisor.ownTeam.close()
    throw error
  })
  return supervisor
}
