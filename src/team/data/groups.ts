import type { Trial } from './table.ts'

/** Sets of values by key. Adding a value costs the same however many its key has. */
export class Groups<K, V> {
  private readonly sets = new Map<K, Set<V>>()
  private readonly trial: Trial
  constructor(trial: Trial) {
    this.trial = trial
  }
  /** In no particular order: taking a removal back moves a value to the end. */
  of(key: K): ReadonlySet<V> {
    return this.sets.get(key) ?? NONE
  }
  add(key: K, value: V): void {
    const set = this.sets.get(key)
    if (set?.has(value)) return
    if (set) set.add(value)
    else this.sets.set(key, new Set([value]))
    if (this.trial.running) this.trial.remember(() => this.remove(key, value))
  }
  remove(key: K, value: V): void {
    const set = this.sets.get(key)
    if (!set?.delete(value)) return
    if (set.size === 0) this.sets.delete(key)
    if (this.trial.running) this.trial.remember(() => this.add(key, value))
  }
}

const NONE: ReadonlySet<never> = new Set()
