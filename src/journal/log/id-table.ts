/** Ids, each with whether it was accepted. */
export interface IdTable {
  /** Undefined if the id was never set. */
  get(id: string): boolean | undefined
  /** An id that was accepted once stays accepted. */
  set(id: string, accepted: boolean): void
  readonly size: number
  keep(): KeptIds
}

export interface KeptIds {
  readonly size: number
  readonly slots: string
}

const SMALLEST = 64
/** 100,000 ids then fit into 131,072 slots, 1 MB. */
const FULL = 0.8

/**
 * Remembers a 63-bit hash of each id, not the id: a Map of 100,000 strings costs more than reading their lines does,
 * and a second to build. Two ids fall together once in 10^13 records.
 */
export function createIdTable(kept?: KeptIds): IdTable {
  let size = kept?.size ?? 0
  // Two numbers a slot; the lowest bit of the second says `accepted`; a zero first is an empty slot.
  let slots = kept ? undefined : new Int32Array(2 * SMALLEST)

  return {
    get size() {
      return size
    },
    get(id) {
      if (size === 0) return undefined
      hash(id)
      const table = load()
      const at = find(table, low, high)
      return isEmpty(table, at) ? undefined : (table[at + 1]! & 1) === 1
    },
    set(id, accepted) {
      hash(id)
      if (put(load(), low, high | (accepted ? 1 : 0))) size++
      if (size > (load().length / 2) * FULL) grow()
    },
    keep: () => ({ size, slots: slots || !kept ? Buffer.from(load().buffer).toString('base64') : kept.slots }),
  }

  /** Decoded on first use: most commands that open a snapshot look up nothing. */
  function load(): Int32Array {
    if (!slots) slots = new Int32Array(new Uint8Array(Buffer.from(kept!.slots, 'base64')).buffer)
    return slots
  }

  function grow(): void {
    const old = load()
    const wider = new Int32Array(old.length * 2)
    for (let at = 0; at < old.length; at += 2) if (!isEmpty(old, at)) put(wider, old[at]!, old[at + 1]!)
    slots = wider
  }
}

/** True if it was not there. */
function put(table: Int32Array, low: number, high: number): boolean {
  const at = find(table, low, high & ~1)
  const isNew = isEmpty(table, at)
  table[at] = low
  table[at + 1]! |= high
  return isNew
}

/** Where this hash is or would be. */
function find(table: Int32Array, low: number, high: number): number {
  const last = table.length - 2
  let at = (low << 1) & last
  while (!isEmpty(table, at) && (table[at] !== low || (table[at + 1]! & ~1) !== high)) at = (at + 2) & last
  return at
}

function isEmpty(table: Int32Array, at: number): boolean {
  return table[at] === 0
}

// The last hash, in two halves: returning an object for each would cost as much as computing it. Each id is looked up
// in two tables and then put into one.
let hashed = ''
let low = 0
let high = 0

/** cyrb53 (bryc, public domain), keeping all 64 bits but one. */
function hash(id: string): void {
  if (id === hashed) return
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < id.length; i++) {
    const unit = id.charCodeAt(i)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  hashed = id
  low = a || 1
  high = b & ~1
}
