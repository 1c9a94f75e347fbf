import type { Trial } from './table.ts'

/** A block that would hold more is split in two. */
const MAX_BLOCK_LENGTH = 512

/**
 * Values kept in order; equal ones are one. They are in blocks, so that adding and removing move a few hundred values at
 * most, wherever they are and however many there are.
 */
export class Sorted<V> {
  /** None is empty, and each ends before the next begins. */
  private readonly blocks: V[][] = []
  private readonly trial: Trial
  private readonly compare: (a: V, b: V) => number
  constructor(trial: Trial, compare: (a: V, b: V) => number) {
    this.trial = trial
    this.compare = compare
  }
  add(value: V): void {
    const at = this.blockOf(value)
    const block = this.blocks[at]
    if (!block) this.blocks.push([value])
    else {
      const place = this.placeIn(block, value)
      if (this.isAt(block, place, value)) return
      block.splice(place, 0, value)
      if (block.length > MAX_BLOCK_LENGTH) this.blocks.splice(at + 1, 0, block.splice(splitAt(place)))
    }
    if (this.trial.running) this.trial.remember(() => this.remove(value))
  }
  /** Was there one like it? */
  remove(value: V): boolean {
    const at = this.blockOf(value)
    const block = this.blocks[at]
    if (!block) return false
    const place = this.placeIn(block, value)
    if (!this.isAt(block, place, value)) return false
    const found = block[place] as V
    if (block.length === 1) this.blocks.splice(at, 1)
    else if (place === 0) block.shift()
    else block.splice(place, 1)
    if (this.trial.running) this.trial.remember(() => this.add(found))
    return true
  }
  *values(): Generator<V> {
    for (const block of this.blocks) yield* block
  }
  /** The last block that begins before the value or with it, else the first. */
  private blockOf(value: V): number {
    let low = 0
    let high = this.blocks.length - 1
    while (low < high) {
      // Most values come in order: the last block is looked at first.
      const middle = high === this.blocks.length - 1 ? high : (low + high + 1) >>> 1
      if (this.compare(this.blocks[middle]![0] as V, value) <= 0) low = middle
      else high = middle - 1
    }
    return low
  }
  private isAt(block: readonly V[], place: number, value: V): boolean {
    return place < block.length && this.compare(block[place] as V, value) === 0
  }
  private placeIn(block: readonly V[], value: V): number {
    let low = 0
    let high = block.length
    if (this.compare(block[high - 1] as V, value) < 0) return high
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.compare(block[middle] as V, value) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Values that come in order leave full blocks behind. */
function splitAt(place: number): number {
  return place === MAX_BLOCK_LENGTH ? MAX_BLOCK_LENGTH : MAX_BLOCK_LENGTH >>> 1
}

/** The values of two lists in one order. */
export function* merge<V>(one: Iterable<V>, other: Iterable<V>, compare: (a: V, b: V) => number): Generator<V> {
  const [ones, others] = [one[Symbol.iterator](), other[Symbol.iterator]()]
  let [a, b] = [ones.next(), others.next()]
  while (!a.done || !b.done) {
    if (b.done || (!a.done && compare(a.value, b.value) <= 0)) {
      yield a.value
      a = ones.next()
    } else {
      yield b.value
      b = others.next()
    }
  }
}
