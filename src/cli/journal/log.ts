import { createRecentRecords, type RecentRecords } from '../../journal/fold/recent-records.ts'
import { advance, type Cursor, START } from '../../journal/log/cursor.ts'
import type { Audited, Log, Recorded } from '../../journal/log/store.ts'
import { JournalReplaced, rewoundBy } from '../../journal/log/store-errors.ts'
import { openTeam } from '../../journal/team-handle.ts'
import { safeJson } from '../../redaction/plain-text.ts'
import type { Json } from '../../team/data/json.ts'
import { readEvent, type TeamEvent } from '../../team/event.ts'
import { nameKey } from '../../team/name.ts'
import { unknownMember } from '../../team/rights.ts'
import { memberNamed } from '../../team/state.ts'
import { counted } from '../../team/wording.ts'
import type { Workspace } from '../../workspace.ts'
import { colours, oneLine, time } from '../output/format.ts'
import { printAsIs, printMessage, warn } from '../output/print.ts'
import { wrapped } from '../output/wrap.ts'
import { member as aMember, seq } from '../program/arguments.ts'
import type { Call } from '../program/context.ts'
import { Misused, refused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { resolveTeam, warnOfFaults } from '../workspace/open-team.ts'
import { describeEvent } from './describe-event.ts'

interface Options {
  from: number
  follow?: boolean
  all?: boolean
  grep?: string
  member?: string
  handoffs?: boolean
}

export const log: SubCommand<Options> = {
  example: `$ deskmates log --follow
2026-03-01 10:00:00  user  added task 1: Write the parser
$ deskmates log --json --member ci | jq .type`,
  define(command) {
    command
      .option('--from <seq>', 'only what came after this place', seq, 0)
      .option('--follow', 'keep printing new events, until Ctrl-C')
      .option('--all', 'also what did not count: refused, repeated, torn and damaged lines')
      .option('--handoffs', 'claims, completions, health and typed messages as hand-offs, one per line')
      .option('--grep <text>', 'only events that contain this text')
      .option('--member <member>', 'only events by or about this member', aMember)
  },
  async run(call, options) {
    if (options.all && options.handoffs) throw new Misused('--handoffs shows what counts; leave out --all.')
    if (options.all && options.follow) throw new Misused('--all shows what is there now; leave out --follow.')
    await using workspace = await openStore(call)
    const team = await resolveTeam(call, workspace, 'read')
    const log = await workspace.store.log(`${team}/journal`)
    const unknownMember = await unknownMemberRefusal(call, workspace, team, options.member)
    let count = 0
    let isKnown = unknownMember === undefined
    const handOffs = options.handoffs ? (await import('./hand-offs.ts')).handOffsOf(call, team) : undefined
    const show = async (events: readonly Line[]) => {
      const all: readonly Line[] = handOffs ? events.flatMap((line) => handOffs(line).map(asEvent(line))) : events
      isKnown ||= all.some((line) => isWanted(line, { member: options.member }))
      const wanted = all.filter((line) => line.seq > options.from && isWanted(line, options))
      count += wanted.length
      await printAsIs(call, wanted.map((line) => format(call, line)).join(''))
    }
    if (options.all) for await (const batch of log.audit()) await show(batch.flatMap(auditedLines))
    else {
      let at: Cursor = START
      const recent = createRecentRecords(0)
      for (let batch = await log.read(at); batch.length > 0; batch = await log.read(at)) {
        await show(batch.flatMap(linesOf))
        at = batch.reduce(advance, at)
        for (const { seq, record } of batch) recent.folded(seq, record.id)
        if (call.signal.aborted) return
      }
      await warnOfFaults(call, log)
      if (!isKnown) throw unknownMember
      const isGone = async () => !(await workspace.store.teams()).includes(team)
      if (options.follow) await follow(call, { log, at, recent, isGone }, (batch) => show(batch.flatMap(linesOf)))
    }
    if (!isKnown) throw unknownMember
    if (count === 0) await printMessage(call, 'No matching events.')
  },
}

/** The refusal for a name that no member has or had, unless an event by or about it is found. */
async function unknownMemberRefusal(call: Call, { store }: Workspace, name: string, member: string | undefined) {
  if (member === undefined || nameKey(member) === 'user') return undefined
  await using team = await openTeam(store, name, { clock: call.clock })
  await team.refresh()
  if (!team.state.team.get() || memberNamed(team.state, member)) return undefined
  return refused(unknownMember(team.state, member))
}

/** When the log loses its end and continues, a warning says so and the new events are printed. */
async function follow(call: Call, from: Followed, show: (batch: readonly Recorded[]) => Promise<void>): Promise<void> {
  for (let { log, at, recent } = from; ; ) {
    try {
      for await (const batch of log.tail(at, call.signal)) {
        await show(batch)
        at = batch.reduce(advance, at)
        for (const { seq, record } of batch) recent.folded(seq, record.id)
        // No event follows, and its file is about to be archived.
        if (batch.flatMap(linesOf).some(({ event }) => event?.type === 'team.deleted')) return
      }
      return
    } catch (error) {
      // It may be archived before that record was read.
      if (error instanceof JournalReplaced && (await from.isGone())) return printMessage(call, 'The team was deleted.')
      const fault = rewoundBy(error)
      if (!fault || !log.reopen) throw error
      log = await log.reopen()
      at = START
      const comparison = recent.compare()
      const added: Recorded[] = []
      for (let batch = await log.read(at); batch.length > 0; batch = await log.read(at)) {
        added.push(...batch.filter(({ seq, record }) => comparison.see(seq, record.id)))
        at = batch.reduce(advance, at)
      }
      const { lost, recent: since } = comparison.end()
      recent = since
      const count = counted(lost.records, 'record shown before is', 'records shown before are')
      await warn(call, `${fault.path} lost its end (${fault.detail}): ${count} gone. What is new there follows.`)
      await show(added)
    }
  }
}

interface Followed {
  readonly log: Log
  readonly at: Cursor
  /** What was read before `at`. */
  readonly recent: RecentRecords
  /** Whether the team was archived. */
  readonly isGone: () => Promise<boolean>
}

/** One event at its place, or a line in which no event can be read. */
interface Line {
  readonly seq: number
  readonly at?: number
  readonly by?: string
  readonly record?: string
  readonly verdict?: string
  readonly line?: number
  readonly offset?: number
  readonly event?: Readonly<Record<string, Json>>
}

function linesOf({ seq, record }: Pick<Recorded, 'seq' | 'record'>): Line[] {
  const { at, by, events } = record
  const author = typeof by === 'object' && by !== null && 'name' in by ? String(by.name) : 'user'
  const about = { seq, ...(typeof at === 'number' && { at }), by: author, record: record.id }
  const all = Array.isArray(events) ? events : []
  return all.map((event) => ({ ...about, event: isObject(event) ? event : { type: 'unreadable' } }))
}

/** A hand-off in the place of the event that holds it. */
/** The lead claims for a one-shot agent, and records what it answers: the hand-off is that of the agent. */
function asEvent(line: Line): (record: object) => Line {
  const { owner, from } = line.event ?? {}
  const author = typeof owner === 'string' ? owner : typeof from === 'string' ? from : line.by
  return (record) => ({
    ...line,
    ...(author !== undefined && { by: author }),
    event: record as { [key: string]: Json },
  })
}

function auditedLines({ verdict, line, offset, seq, record }: Audited): Line[] {
  const about = { verdict, line, offset }
  const lines = record ? linesOf({ seq, record }) : []
  return lines.length > 0 ? lines.map((line) => ({ ...line, ...about })) : [{ seq, ...about }]
}

function isWanted({ by, event }: Line, { grep, member }: Pick<Options, 'grep' | 'member'>): boolean {
  if (grep === undefined && member === undefined) return true
  const texts = textsIn(event ?? null)
  if (grep !== undefined && !texts.some((text) => text.toLowerCase().includes(grep.toLowerCase()))) return false
  return member === undefined || [by ?? '', ...texts].some((text) => nameKey(text) === nameKey(member))
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap((inner) => textsIn(inner as Json))
    : []
}

function format(call: Call, { event, ...about }: Line): string {
  // An event's own `id` is a task's or a request's; the record's stands beside it.
  if (call.globals.json) return `${safeJson({ ...about, ...event })}\n`
  const { dim, red } = colours(call)
  const verdict = about.verdict && about.verdict !== 'accepted' ? `${red(about.verdict)} ` : ''
  if (!event) return `${verdict}line ${about.line} (byte ${about.offset})\n`
  const at = time(about.at ?? 0)
  const line = `${dim(at)}  ${(about.by ?? '').padEnd(WIDTH)}  ${verdict}${words(event)}\n`
  return call.isTerminal ? wrapped(line, call.stdout.columns, at.length + WIDTH + 4) : line
}

/** The whole of it is in --json. */
const MAX_HAND_OFF_WIDTH = 300

/** Most names fit; a longer one moves only its own line. */
const WIDTH = 8

function words(event: Readonly<Record<string, Json>>): string {
  if ('schema_version' in event) return oneLine(`${event.type} ${JSON.stringify(event.payload)}`, MAX_HAND_OFF_WIDTH)
  const known = readEvent(event)
  if (known === 'unknown') return `${String(event.type)} (of a newer version)`
  return known === 'broken' ? `${String(event.type)} (unreadable)` : describeEvent(known as TeamEvent)
}

function isObject(value: Json): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
