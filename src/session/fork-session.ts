import { asPart } from '../agent/calls/run-calls.ts'
import { LeadTranscriptLost, TranscriptDamaged } from '../agent/transcript/lost-transcript.ts'
import { TranscriptLost } from '../agent/transcript/transcript.ts'
import { applyTurn, emptyTranscript, unanswered } from '../agent/transcript/transcript-fold.ts'
import { createIds } from '../journal/ids.ts'
import { advance, type Cursor, START } from '../journal/log/cursor.ts'
import type { LogRecord, Store } from '../journal/log/store.ts'
import { JournalReadOnly } from '../journal/log/store-errors.ts'
import { openTeam } from '../journal/team-handle.ts'
import { callOfOtherSession, forkedText } from '../prompts/forked.ts'
import { UntrustedJournal } from '../stores/files/identity/trust.ts'
import { SessionRefused } from '../supervisor/lead/take-lead.ts'
import type { Json } from '../team/data/json.ts'
import { nameKey } from '../team/name.ts'
import { refuse } from '../team/refusal.ts'
import type { Workspace } from '../workspace.ts'
import { whyNotHere } from './session-folder.ts'

/** The conversation of a lead, as records for the transcript of another one. */
export type CopiedConversation = readonly LogRecord[]

/**
 * Reads the conversation of the lead of `from`, and writes nothing there: another process may be at work on it. Members, tasks,
 * mail and jobs stay behind, and the last record says so to the model, which is not called before a prompt follows.
 */
export async function copyConversation(
  workspace: Workspace,
  from: string,
  { here = false }: { readonly here?: boolean | undefined } = {},
): Promise<CopiedConversation> {
  const { store, trust } = workspace
  await using team = await openTeam(store, from)
  await team.refresh()
  const facts = team.state.team.get()
  if (!facts || facts.deleted) throw new SessionRefused(refuse('unknown_team', { team: from }))
  // What came with a repository was written by a stranger: a model would take it for its own words.
  if (!trust.isTeamTrusted(facts.id)) throw new UntrustedJournal(workspace.journalOf(from), from)
  const elsewhere = here ? undefined : whyNotHere(team.state, workspace, from)
  if (elsewhere) throw new SessionRefused(elsewhere)
  const records = await readConversation(workspace, from, team.state.transcripts.get(nameKey('lead')))
  return endedHere(records, from)
}

/** Begins the transcript of a new session with it; durable when it resolves. */
export async function putConversation(store: Store, session: string, copied: CopiedConversation): Promise<void> {
  const log = await store.log(`${session}/transcripts/lead`)
  try {
    await (await log.append(copied)).durable
  } finally {
    await log.close()
  }
}

async function readConversation(
  { store }: Workspace,
  from: string,
  expects: string | undefined,
): Promise<readonly LogRecord[]> {
  const log = await store.log(`${from}/transcripts/lead`)
  try {
    const state = emptyTranscript()
    const records: LogRecord[] = []
    const ids = new Set<string>()
    let cursor: Cursor = START
    for (let batch = await log.read(cursor); batch.length > 0; batch = await log.read(cursor)) {
      for (const recorded of batch) {
        ids.add(recorded.record.id)
        if (applyTurn(state, recorded.record)) records.push(recorded.record)
        cursor = advance(cursor, recorded)
      }
    }
    const damaged = log.faults().find(({ kind }) => kind === 'damaged')
    if (damaged) throw new TranscriptDamaged(from, damaged, new JournalReadOnly(damaged))
    const isLost = expects !== undefined && (expects === '' ? state.turns.length === 0 : !ids.has(expects))
    if (isLost) throw new LeadTranscriptLost(from, new TranscriptLost(ids, expects !== ''))
    return records
  } finally {
    await log.close()
  }
}

/** What makes up the turns, under ids of its own; then results for calls that have none, and the end of the old session. */
function endedHere(records: readonly LogRecord[], from: string): CopiedConversation {
  const newId = createIds()
  const state = emptyTranscript()
  const copied: LogRecord[] = []
  const add = (what: Partial<LogRecord>) => {
    const record = { id: newId(), generation: 0, ...what }
    applyTurn(state, record)
    copied.push(record)
  }
  for (const record of records) {
    const turn = Object.fromEntries(COPIED_KEYS.flatMap((key) => (key in record ? [[key, record[key]]] : [])))
    if (Object.keys(turn).length > 0) add(turn as Partial<LogRecord>)
  }
  if (state.turns.length === 0) return []
  for (const call of unanswered(state))
    add({ result: asPart(call, { text: callOfOtherSession(from), isError: true }) as unknown as Json })
  const turn = { role: 'user', content: [{ type: 'text', text: forkedText(from) }] }
  add({ user: turn as unknown as Json, mail: [], interrupted: true })
  return copied
}

/** Not among them: delivered mail, jobs, process groups, and files of the other session. */
const COPIED_KEYS = [
  ...['user', 'interrupted', 'assistant', 'end', 'usage', 'cost', 'model'],
  ...['result', 'demoted', 'compacted'],
] as const
