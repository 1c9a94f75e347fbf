import { type Fingerprint, fingerprintText, readFingerprint } from './hash.ts'

/**
 * The containers a team's state is made of. Each remembers how to take its changes back, so that a decision can be
 * tried on the state (a second one chained to a first that is not accepted yet) and undone before anything is written.
 * Values are never changed in place: a change sets a new value.
 */
export class Trial {
  private undo: (() => void)[] | undefined

  /** Runs `attempt` on the state and takes every change back. */
  run<T>(attempt: () => T): T {
    if (this.undo) throw new Error('A trial is already running.')
    this.undo = []
    try {
      return attempt()
    } finally {
      this.backTo(0)
      this.undo = undefined
    }
  }

  /** What `think` returns after `change`; the change is taken back. Inside a running trial or on its own. */
  given<T>(change: () => void, think: () => T): T {
    if (!this.undo) return this.run(() => this.given(change, think))
    const mark = this.undo.length
    change()
    try {
      return think()
    } finally {
      this.backTo(mark)
    }
  }

  private backTo(mark: number): void {
    const kept = this.undo
    const steps = kept?.splice(mark) ?? []
    // Taking back is not itself remembered.
    this.undo = undefined
    for (const step of steps.reverse()) step()
    this.undo = kept
  }

  remember(step: () => void): void {
    this.undo?.push(step)
  }

  get running(): boolean {
    return this.undo !== undefined
  }
}

export class Cell<T> {
  private current: T
  private readonly trial: Trial
  constructor(trial: Trial, start: T) {
    this.trial = trial
    this.current = start
  }
  get(): T {
    return this.current
  }
  set(next: T): void {
    const before = this.current
    if (this.trial.running)
      this.trial.remember(() => {
        this.current = before
      })
    this.current = next
  }
}

export class Table<K, V> {
  private readonly entries = new Map<K, V>()
  private readonly trial: Trial
  constructor(trial: Trial) {
    this.trial = trial
  }
  get(key: K): V | undefined {
    return this.entries.get(key)
  }
  has(key: K): boolean {
    return this.entries.has(key)
  }
  set(key: K, value: V): void {
    if (this.trial.running) this.rememberEntry(key)
    this.entries.set(key, value)
  }
  delete(key: K): void {
    if (this.trial.running) this.rememberEntry(key)
    this.entries.delete(key)
  }
  /** In no particular order: taking a deletion back moves an entry to the end. */
  values(): IterableIterator<V> {
    return this.entries.values()
  }
  keys(): IterableIterator<K> {
    return this.entries.keys()
  }
  get size(): number {
    return this.entries.size
  }
  private rememberEntry(key: K): void {
    const before = this.entries.get(key)
    const existed = this.entries.has(key)
    this.trial.remember(() => {
      if (existed) this.entries.set(key, before as V)
      else this.entries.delete(key)
    })
  }
}

/**
 * Knows at least the last `capacity` keys that were put in; what is older falls out in bulk. Every process puts in
 * all mail and hardly ever asks, so that keys are only lined up, and looked through on the first question. What a
 * snapshot brought stays text and is searched as such: a Map of it costs more than the rest.
 */
export class Recent {
  private young: Generation = opened()
  private old: Generation = opened()
  private readonly trial: Trial
  private readonly capacity: number
  constructor(trial: Trial, capacity: number) {
    this.trial = trial
    this.capacity = capacity
  }
  get(key: string): Fingerprint | undefined {
    return find(this.young, key) ?? find(this.old, key)
  }
  put(key: string, value: Fingerprint): void {
    const { young, old } = this
    if (this.trial.running) {
      const count = young.keys.length
      this.trial.remember(() => {
        young.keys.length = young.values.length = count
        if (young.indexed > count) {
          young.index.clear()
          young.indexed = 0
        }
        this.young = young
        this.old = old
      })
    }
    young.keys.push(key)
    young.values.push(value)
    if (young.count + young.keys.length < this.capacity) return
    this.old = young
    this.young = opened()
  }
  load({ young, old }: RecentDump): void {
    this.young = opened(young)
    this.old = opened(old)
  }
  dump(): RecentDump {
    return { young: dumped(this.young), old: dumped(this.old) }
  }
}

interface Generation {
  /** A newline, then `key value` and a newline for each. */
  readonly text: string
  readonly count: number
  /** What came since, in the order it came; a key may come again. */
  readonly keys: string[]
  readonly values: Fingerprint[]
  /** The first `indexed` of them, by key. */
  readonly index: Map<string, Fingerprint>
  indexed: number
}

export interface RecentDump {
  readonly young: { readonly text: string; readonly count: number }
  readonly old: { readonly text: string; readonly count: number }
}

function opened({ text, count } = { text: '', count: 0 }): Generation {
  return { text, count, keys: [], values: [], index: new Map(), indexed: 0 }
}

function find(generation: Generation, key: string): Fingerprint | undefined {
  const { text, keys, values, index } = generation
  for (; generation.indexed < keys.length; generation.indexed++)
    index.set(keys[generation.indexed]!, values[generation.indexed]!)
  const known = index.get(key)
  if (known !== undefined || text === '') return known
  const at = text.lastIndexOf(`\n${key} `)
  if (at < 0) return undefined
  const from = at + key.length + 2
  return readFingerprint(text.slice(from, text.indexOf('\n', from)))
}

function dumped({ text, count, keys, values }: Generation): { text: string; count: number } {
  if (keys.length === 0) return { text, count }
  const lines = keys.map((key, i) => `${key} ${fingerprintText(values[i]!)}\n`).join('')
  return { text: (text || '\n') + lines, count: count + keys.length }
}
