import type { Chain } from './acceptance.ts'
import type { LogRecord } from './store.ts'

/** A record as JSON, in bytes. */
export const MAX_RECORD_BYTES = 16 * 1024 * 1024

/** Why a record must not be written at all: it could only harm readers. Undefined if it may. */
export function whyRefused(
  records: readonly LogRecord[],
  chain: Pick<Chain, 'complete' | 'last' | 'knows'>,
  knows: ReadonlySet<string>,
): RecordRefusal | undefined {
  const ours = new Set<string>()
  for (const record of records) {
    const why = whyOne(record, (id) => ours.has(id) || id === chain.last || chain.knows(id), chain, knows)
    if (why) return { id: record.id, why }
    ours.add(record.id)
  }
  return undefined
}

export interface RecordRefusal {
  readonly id: string
  readonly why: string
}

function whyOne(
  record: LogRecord,
  appeared: (id: string) => boolean,
  chain: Pick<Chain, 'complete'>,
  knows: ReadonlySet<string>,
): string | undefined {
  if (!isId(record.id)) return 'has no id'
  if ('v' in record || 'sum' in record) return 'has a member v or sum, which belong to the store'
  if (record.after && chain.complete && !appeared(record.after))
    return `follows ${record.after}, which is not in this log`
  const unknown = firstUnknown(record, knows)
  if (unknown) return `needs ${unknown}, which this version does not know`
  return undefined
}

export function isId(id: unknown): id is string {
  return typeof id === 'string' && id !== ''
}

/** The first feature (`plans@0.8.0`) that a record needs and we do not know. */
export function firstUnknown(record: LogRecord, knows: ReadonlySet<string>): string | undefined {
  return record.needs?.find((need) => !knows.has(need.split('@')[0] ?? ''))
}

/** What to do about a feature we do not know. */
export function toInstall(need: string): string {
  const [feature, version] = need.split('@')
  return version
    ? `needs ${feature}: install deskmates ${version} or newer`
    : `needs ${feature}: install a newer deskmates`
}
