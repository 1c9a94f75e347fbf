/** A place in a log: all up to the record `id`, whose end is `seq`; `last` is the last accepted conditional id there. */
export interface Cursor {
  readonly seq: number
  readonly id: string
  readonly last: string
}

export const START: Cursor = { seq: 0, id: '', last: '' }

/** The cursor behind a record that was read at `at`. A record with `after` is conditional. */
export function advance(
  at: Cursor,
  { seq, record }: { readonly seq: number; readonly record: { readonly id: string; readonly after?: string } },
): Cursor {
  return { seq, id: record.id, last: record.after === undefined ? at.last : record.id }
}
