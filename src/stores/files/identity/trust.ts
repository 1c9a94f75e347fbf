import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { TeamError } from '../../../team/errors.ts'
import { type Disk, realDisk, removeIfExists } from '../disk.ts'
import { readStateFile, writeStateFile } from './state-file.ts'

/** What this user trusts, kept outside every workspace, where no agent and no repository can write. */
export interface Trust {
  /** DESKMATES_TRUST=1: for containers that hold nothing worth protecting. */
  readonly everything: boolean
  /** The folder in which all of it is kept. */
  readonly state: string
  trustTeam(teamId: string, team: string, path: string): void
  isTeamTrusted(teamId: string): boolean
  /** The team is removed: what was kept about it goes too. */
  forgetTeam(teamId: string): void
  /** Covers the folder as it is now: with another `folderHash` it is not trusted. */
  trustFolder(path: string, contentHash: string): void
  isFolderTrusted(path: string, contentHash: string): boolean
  /** The user was asked, and does not trust the folder as it is now. */
  declineFolder(path: string, contentHash: string): void
  isFolderDeclined(path: string, contentHash: string): boolean
}

/** One small file per team and folder in `$DESKMATES_STATE/trust`, so that concurrent processes never conflict. */
export function openTrust(
  env: NodeJS.ProcessEnv,
  { disk = realDisk, clock = Date, warn = emitWarning }: TrustOptions = {},
): Trust {
  const state = stateFolder(env)
  const everything = env.DESKMATES_TRUST === '1'
  if (!everything && !['', '0', undefined].includes(env.DESKMATES_TRUST)) {
    warn(`DESKMATES_TRUST=${env.DESKMATES_TRUST} has no meaning and trusts nothing. Set it to 1, or remove it.`)
  }
  const known = new Set<string>()
  const teamFile = (teamId: string) => join(state, 'trust', 'teams', `${sha(teamId)}.json`)
  const folderFile = (path: string) => join(state, 'trust', 'folders', `${sha(resolve(path))}.json`)
  const declinedFile = (path: string) => join(state, 'trust', 'declined', `${sha(resolve(path))}.json`)
  const isKept = (file: string, path: string, contentHash: string) => {
    const entry = readStateFile(disk, file, DecidedFolder, warn)
    return entry?.path === resolve(path) && entry.contentHash === contentHash
  }

  // If a power cut undid this but not the journal, its own creator would not be trusted.
  const keep = (file: string, entry: object) => writeStateFile(disk, state, file, { ...entry, at: clock.now() / 1000 })

  return {
    everything,
    state,

    trustTeam(teamId, team, path) {
      keep(teamFile(teamId), { teamId, team, path })
      known.add(teamId)
    },

    isTeamTrusted(teamId) {
      if (everything || known.has(teamId)) return true
      const entry = readStateFile(disk, teamFile(teamId), TrustedTeam, warn)
      if (entry?.teamId !== teamId) return false
      known.add(teamId)
      return true
    },

    forgetTeam(teamId) {
      removeIfExists(disk, teamFile(teamId))
      known.delete(teamId)
    },

    trustFolder(path, contentHash) {
      keep(folderFile(path), { path: resolve(path), contentHash })
    },

    isFolderTrusted: (path, contentHash) => everything || isKept(folderFile(path), path, contentHash),

    declineFolder(path, contentHash) {
      keep(declinedFile(path), { path: resolve(path), contentHash })
    },

    isFolderDeclined: (path, contentHash) => isKept(declinedFile(path), path, contentHash),
  }
}

/**
 * Called before the first write to a journal. `creatorId` is the id of the journal's first record, which is the team's id;
 * `creating` says that the log is empty and this process is about to write that record.
 */
export function mayWrite(trust: Trust, dir: string): (team: string, creatorId: string, creating: boolean) => void {
  return (team, creatorId, creating) => {
    if (trust.isTeamTrusted(creatorId) && !(trust.everything && creating)) return
    const path = join(dir, '.teams', team, 'journal.jsonl')
    if (!creating) throw new UntrustedJournal(path, team)
    try {
      // Before the record itself: a process that dies in between leaves an unused file. In the other order it would leave
      // a team that its creator may not write to.
      trust.trustTeam(creatorId, team, path)
    } catch (error) {
      // Where everything is trusted the file is not needed; it only helps later commands without that setting.
      if (!trust.everything) throw error
    }
  }
}

export class UntrustedJournal extends TeamError {
  readonly code = 'untrusted_journal'
  constructor(path: string, team: string) {
    super(
      `${path} was not created here (perhaps it came with a cloned repository), so it can be read but not written. ` +
        `If you know where it comes from: deskmates trust --team ${team}`,
    )
  }
}

interface TrustOptions {
  readonly disk?: Disk
  /** Milliseconds since 1970. */
  readonly clock?: { now(): number }
  readonly warn?: (text: string) => void
}

// Checked without zod: what a folder may do is decided before the prompt is painted, which does not wait for zod to load.
const TrustedTeam = { parse: (value: unknown) => texts(value, ['teamId']) }
const DecidedFolder = { parse: (value: unknown) => texts(value, ['path', 'contentHash']) }

/** These fields of the object, all of them texts. */
function texts<K extends string>(value: unknown, keys: readonly K[]): Record<K, string> {
  const fields = Object.entries(value ?? {}).filter(([key]) => keys.some((wanted) => wanted === key))
  if (fields.length < keys.length || fields.some(([, text]) => typeof text !== 'string'))
    throw new TypeError(`It has no texts for ${keys.join(' and ')}.`)
  return Object.fromEntries(fields) as Record<K, string>
}

/** The folder for everything that belongs to this user and to no workspace. */
export function stateFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (env.DESKMATES_STATE) return resolve(env.DESKMATES_STATE)
  // A relative XDG path is to be ignored, says its specification.
  const xdg = env.XDG_STATE_HOME
  return xdg && isAbsolute(xdg) ? join(xdg, 'deskmates') : join(env.HOME || homedir(), '.local', 'state', 'deskmates')
}

function emitWarning(text: string): void {
  process.emitWarning(text, 'DeskmatesTrustWarning')
}

function sha(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
