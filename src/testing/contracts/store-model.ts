import fc from 'fast-check'
import { expect, it } from 'vitest'
import { advance, type Cursor, START } from '../../journal/log/cursor.ts'
import type { Log, LogName, LogRecord, Outcome } from '../../journal/log/store.ts'
import type { OpenStore } from './read-all.ts'

/** Random operations of three handles; each result is compared with a log of a few lines, below. */
export function storeModel(open: () => OpenStore): void {
  it('gives the same results as a log of a few lines, for reads, decisions, repeats and late handles', async () => {
    const stores = await Promise.all([open()(), open()(), open()()])
    let run = 0
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
          const name: LogName = `model${run++}/journal`
          const handles = await Promise.all(stores.map(async (store) => createHandle(await store.log(name))))
          const model = createModel()
          for (const [number, { who, what, salt }] of steps.entries()) {
            const handle = handles[who]!
            if (what === 'read') await handle.fold(model)
            else if (what === 'reopen') handles[who] = createHandle(await stores[who]!.log(name))
            else await handle.write(recordsFor(what, handle, model, `${number}`, salt), model)
          }
          for (const handle of handles) await handle.fold(model)
        }),
        { numRuns: 60 },
      )
    } finally {
      for (const store of stores) await store[Symbol.asyncDispose]()
    }
  }) // F1, F7, F22, A70
}

const step = fc.record({
  who: fc.constantFrom(0, 1, 2),
  what: fc.constantFrom(
    'decide',
    'decide',
    'chain',
    'stale',
    'fact',
    'mixed',
    'repeat',
    'retry',
    'read',
    'read',
    'reopen',
  ),
  salt: fc.nat(),
})
type What = 'decide' | 'chain' | 'stale' | 'fact' | 'mixed' | 'repeat' | 'retry'

/** The whole rule: facts are accepted, decisions if they name the last one, an id once. */
function createModel() {
  const accepted: LogRecord[] = []
  const written: LogRecord[] = []
  let last = ''
  return {
    accepted,
    written,
    write(record: LogRecord): Outcome {
      written.push(record)
      if (accepted.some(({ id }) => id === record.id)) return 'repeated'
      if (record.after !== undefined && record.after !== last) return 'conflict'
      if (record.after !== undefined) last = record.id
      accepted.push(record)
      return 'accepted'
    },
  }
}
type Model = ReturnType<typeof createModel>

function createHandle(log: Log) {
  let at: Cursor = START
  let count = 0
  return {
    get last() {
      return at.last
    },
    async fold(model: Model): Promise<void> {
      for (let batch = await log.read(at); batch.length > 0; batch = await log.read(at)) {
        expect(batch.map(({ record }) => record)).toEqual(model.accepted.slice(count, count + batch.length))
        at = batch.reduce(advance, at)
        count += batch.length
      }
      expect(count).toBe(model.accepted.length)
      expect(log.faults()).toEqual([])
    },
    async write(records: readonly LogRecord[], model: Model): Promise<void> {
      const { outcomes, durable } = await log.append(records)
      expect(outcomes).toEqual(records.map(model.write))
      await durable
    },
  }
}

function recordsFor(what: string, handle: { last: string }, model: Model, id: string, salt: number): LogRecord[] {
  // A writer names only decisions it folded; the rest of a chain that lost is the exception.
  const known = model.written.filter(({ after }) => !after || model.accepted.some(({ id }) => id === after))
  const old = known[salt % Math.max(1, known.length)]
  const decision = { id, after: handle.last }
  const records: { [K in What]: LogRecord[] } = {
    decide: [decision],
    chain: [decision, { id: `${id}+`, after: id }, { id: `${id}++`, after: `${id}+` }],
    stale: [{ id, after: model.accepted.find(({ after }) => after !== undefined)?.id ?? '' }],
    fact: [{ id, text: 'é\n'.repeat(salt % 50) }],
    mixed: [{ id: `${id}a` }, decision, { id: `${id}b` }],
    repeat: old ? [old] : [],
    retry: old ? [{ id: old.id, after: handle.last, tries: 1 }] : [],
  }
  return records[what as What]
}
