import { dirname, join } from 'node:path'
import type { Fault } from '../../journal/log/store.ts'
import { faultText } from '../../journal/log/store-errors.ts'
import { openTeam } from '../../journal/team-handle.ts'
import { codeOf, type Disk, realDisk } from '../../stores/files/disk.ts'
import { cutOff } from '../../stores/files/log/lost-end.ts'
import { leadingSession } from '../../supervisor/lead/leading-session.ts'
import { nameKey } from '../../team/name.ts'
import { memberNamed, type TeamState } from '../../team/state.ts'
import { counted } from '../../team/wording.ts'
import type { Workspace } from '../../workspace.ts'
import { print, printJson } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { EXIT } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { resolveTeam, wantedTeam } from '../workspace/open-team.ts'
import { type Examined, examine, type Problem } from './examine-journal.ts'
import { type Repaired, repairJournal } from './repair-journal.ts'
import {
  type ExaminedTranscript,
  examineTranscripts,
  type RepairedTranscript,
  repairTranscripts,
} from './transcripts.ts'

export const check: SubCommand<{ repair?: boolean }> = {
  example: `$ deskmates check
/home/ada/shop/.teams/default/journal.jsonl: 12 records count, 1 refused, 0 repeated, 0 torn
All is well.`,
  instead: ({ repair }) => (repair ? 'Only a person repairs a journal.' : undefined),
  define(command) {
    command.option('--repair', 'rebuild views and snapshot; a damaged journal is kept and a new one is started')
  },
  async run(call, { repair = false }) {
    await using workspace = await openStore(call)
    const hasFiles = workspace.teamsFolder !== undefined
    const team = await checkedTeam(call, workspace)
    const found = await look(call, workspace, team)
    if (!repair) {
      await report(call, { hasFiles, team }, found)
      return found.examined.problems.length > 0 ? EXIT.failed : EXIT.done
    }
    const repaired = await repairJournal(call, workspace, team, found.examined)
    const transcripts = await repairTranscripts(call, workspace, team)
    const left = await look(call, workspace, team)
    await report(call, { hasFiles, team }, left, { ...repaired, transcripts })
    return left.examined.problems.length > 0 ? EXIT.failed : EXIT.done
  },
}

/** A team that a session leads is checked even if its folder is missing. */
async function checkedTeam(call: Call, workspace: Workspace): Promise<string> {
  const wanted = wantedTeam(call)
  const isThere = (await workspace.store.teams()).some((team) => nameKey(team) === nameKey(wanted))
  if (!isThere && (await leadingSession(workspace.store, wanted)) !== undefined) return wanted
  return resolveTeam(call, workspace, 'read')
}

interface Found {
  readonly examined: Examined
  /** View files that differ from the journal. Harmless: the next writer updates them. */
  readonly views: readonly string[]
  /** Observations that are not problems. */
  readonly notes: readonly string[]
}

async function look(call: Call, { store, journalOf }: Workspace, name: string): Promise<Found> {
  const log = await store.log(`${name}/journal`)
  const examined = await examine(log, journalOf(name))
  const lost = log.faults().find((fault) => fault.kind === 'cut off')
  await log.close()
  const session = examined.state.team.get() ? undefined : await leadingSession(store, name)
  if (session !== undefined && examined.problems.length === 0)
    return { examined: { ...examined, problems: [missing(examined.path, name, session)] }, views: [], notes: [] }
  const mirror = store.views?.(name)
  if (!examined.state.team.get()) return { examined: withCut(examined, lost), views: [], notes: [] }
  await using team = await openTeam(store, name, { clock: call.clock })
  if (!mirror) {
    await team.refresh()
    const transcripts = await examineTranscripts(store, team, journalOf(name))
    return { examined: withTranscripts(withCut(examined, lost), transcripts), views: [], notes: [] }
  }
  const shown = await mirror.writtenTo()
  await team.refresh()
  const { seq } = team.cursor
  // Views are written from the journal, so everything they show was once in it.
  const isCut = shown > seq && examined.problems.length === 0
  const cut = lost ?? (isCut ? cutOff(examined.path, seq, shown, 0) : undefined)
  const transcripts = await examineTranscripts(store, team, journalOf(name))
  const views = await mirror.differences(team.state, team.cursor)
  const notes = unclaimedMail(realDisk, join(dirname(examined.path), 'inbox'), team.state)
  return { examined: withTranscripts(withCut(examined, cut), transcripts), views, notes }
}

function withTranscripts(examined: Examined, transcripts: readonly ExaminedTranscript[]): Examined {
  return { ...examined, problems: [...examined.problems, ...transcripts.flatMap(({ problem }) => problem ?? [])] }
}

function missing(path: string, team: string, session: string): Problem {
  const detail = `the journal is missing, but the session ${session} leads this team. Restore it from a copy, or give the team up: deskmates check --repair --team ${team}`
  return { kind: 'missing', path, line: 1, offset: 0, detail }
}

function withCut(examined: Examined, cut: Fault | undefined): Examined {
  if (!cut) return examined
  const { path, line, offset } = cut
  const problem: Problem = { kind: 'cut off', path, line, offset, detail: faultText(cut) }
  return { ...examined, problems: [...examined.problems, problem] }
}

async function report(
  call: Call,
  { hasFiles, team }: { hasFiles: boolean; team: string },
  { examined, views, notes }: Found,
  repaired?: Repaired & { readonly transcripts: readonly RepairedTranscript[] },
): Promise<void> {
  const { path, counts, problems, state } = examined
  const { accepted, ...others } = counts
  if (call.globals.json) {
    return printJson(call, {
      team,
      path,
      ok: problems.length === 0,
      records: accepted,
      ...others,
      problems,
      views,
      notes,
      ...(repaired && { repaired }),
    })
  }
  const { refused, repeated, torn } = others
  // A database keeps only records that count, and does not return damaged ones.
  const rest = hasFiles ? `, ${refused} refused, ${repeated} repeated, ${torn} torn` : ''
  const lines = [`${path}: ${counted(accepted, 'record counts', 'records count')}${rest}`]
  for (const { kind, line, offset, detail, path } of problems)
    lines.push(`${path}:${line} (byte ${offset}): ${kind}: ${detail}`)
  for (const view of views) lines.push(`to be rebuilt: ${view}`)
  for (const note of notes) lines.push(`note: ${note}`)
  if (repaired?.damaged)
    lines.push(`The broken journal is now ${repaired.damaged}. Lost: ${counted(repaired.lost.length, 'line')}.`)
  for (const line of repaired?.lost ?? []) lines.push(`  ${line}`)
  if (repaired && repaired.kept > 0)
    lines.push(`Kept from behind the break: ${counted(repaired.kept, 'line')} of mail and other facts.`)
  for (const { member, archived, removed, returned, calls } of repaired?.transcripts ?? []) {
    const where = archived === null ? '' : `; they are now in ${archived}`
    const mail = counted(returned, 'message is', 'messages are')
    lines.push(
      `The transcript of ${member} continues without ${counted(removed, 'line')}${where}. ${mail} unread again.`,
    )
    for (const call of calls) lines.push(`  not run again: ${call}`)
  }
  if (repaired && state.team.get())
    lines.push(hasFiles ? 'Views and snapshot were rebuilt.' : 'The snapshot was rebuilt.')
  lines.push(verdict(team, examined, repaired?.lost.length ?? 0))
  await print(call, `${lines.join('\n')}\n`)
}

function verdict(team: string, { problems, state }: Examined, lost: number): string {
  if (problems.length > 0) return `${counted(problems.length, 'problem')}.`
  if (!state.team.get()) return `There is no team ${team} yet. See: deskmates team list`
  return lost > 0 ? 'The rest is in order; what is listed as lost no longer counts.' : 'All is well.'
}

/** Inbox files with lines for a name that no member has: they are not read. */
function unclaimedMail(disk: Disk, inbox: string, state: TeamState): string[] {
  return list(disk, inbox).flatMap((file) => {
    const name = /^([A-Za-z0-9][A-Za-z0-9_-]{0,63})\.jsonl$/.exec(file)?.[1]
    if (name === undefined || nameKey(name) === 'user' || memberNamed(state, name)) return []
    const path = join(inbox, file)
    if (!disk.statSync(path)?.size) return []
    return [`${path}: this team has no member ${name}, so the file is not read until ${name} joins`]
  })
}

function list(disk: Disk, folder: string): string[] {
  try {
    return disk.readdirSync(folder).sort()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}
