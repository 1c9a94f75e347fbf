import type { Store } from '../../journal/log/store.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import { TeamError } from '../../team/errors.ts'
import type { Author } from '../../team/event.ts'
import type { SessionFolder } from '../../team/members/session-folder.ts'
import { isRefusal, type Refusal } from '../../team/refusal.ts'
import { refusalText } from '../../team/refusal-text.ts'

/** A session cannot be opened or continued; `refusal` says why. */
export class SessionRefused extends TeamError {
  readonly code: string
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusalText(refusal))
    this.code = refusal.code
    this.refusal = refusal
  }
}

/**
 * Makes this process the one that runs the team and its lead, as a new generation: what an older one still writes does
 * not count from here on. `further` is for a team that a session creates besides its own.
 */
export async function takeLead(
  team: TeamHandle,
  { presence }: Pick<Store, 'presence'>,
  { folder, awaitLease, isNew = false, ...further }: LeadOptions = {},
): Promise<Author> {
  await team.refresh()
  if (isNew && team.state.team.get()) throw new SessionTaken(team.name)
  if (!team.state.team.get()) {
    const { note } = throwIfRefused(await team.run({ type: 'team.create', team: team.name, ...further }))
    // Another process was faster.
    if (isNew && note !== undefined) throw new SessionTaken(team.name)
  }
  const supervise = () => team.run({ type: 'supervise', runtime: presence.self, ...(folder && { folder }) })
  let took = await supervise()
  if (isRefusal(took) && took.code === 'supervised' && (await awaitLease?.())) took = await supervise()
  throwIfRefused(took)
  const spawned = throwIfRefused(
    await team.run({ type: 'member.spawn', name: 'lead', role: 'lead', runtime: presence.self }),
  )
  const { epoch } = team.state.supervisor.get()
  return { name: 'lead', generation: spawned.member!.generation, epoch }
}

/**
 * Releases the team, so that the next process need not wait for this one to end. If that fails, the next process checks
 * whether this one is alive, as after a crash.
 */
export async function giveUpLead(
  team: TeamHandle,
  { presence }: Pick<Store, 'presence'>,
  reason?: string | undefined,
): Promise<void> {
  await team.run({ type: 'supervise.end', runtime: presence.self, reason }).catch(() => {})
  await presence.withdraw(team.name)
}

export interface LeadOptions extends FurtherTeam {
  /** The folder in which its commands run from now on. */
  readonly folder?: SessionFolder | undefined
  /** A team that exists already is refused. */
  readonly isNew?: boolean | undefined
  /** Waits until the process that runs the team may be replaced; false if it turns out to be alive. */
  awaitLease?(): Promise<boolean>
}

interface FurtherTeam {
  /** The session that leads it. */
  readonly session?: string
  readonly description?: string | undefined
}

export function throwIfRefused<T extends object>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new SessionRefused(answer)
  return answer as T
}

/** The id that was chosen for a new session belongs to one that is there already. */
export class SessionTaken extends TeamError {
  readonly code = 'session_taken'
  constructor(id: string) {
    super(`There is a session ${id} already. Resume it with: deskmates -r ${id}; or choose another id for the new one.`)
  }
}

export class SessionOpen extends TeamError {
  readonly code = 'session_open'
  constructor(id: string) {
    super(`This process runs ${id} already. Wait for that run to end and close its session first.`)
  }
}

/** A run was asked for after the session was closed. */
export class SessionClosed extends TeamError {
  readonly code = 'session_closed'
  constructor(id: string) {
    super(`The session ${id} is closed. Open it again to run it.`)
  }
}

/** This session leads a team whose journal is not there. Only a person can say that it is gone for good. */
export class JournalMissing extends TeamError {
  readonly code = 'journal_missing'
  constructor(team: string, session: string) {
    super(
      `The session ${session} leads the team ${team}, whose journal is missing or cannot be read from its first line. ` +
        `Put .teams/${team}/journal.jsonl back from a copy and resume again; or see what is left: deskmates check --team ${team}; ` +
        `or give the team up: deskmates check --repair --team ${team}`,
    )
  }
}
