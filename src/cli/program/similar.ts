/** The one of `names` that a mistyped word most probably means; undefined where none is near. */
export function similarTo(word: string, names: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase()
  let best: { name: string; distance: number } | undefined
  for (const name of names) {
    // A third of the characters may be wrong, and two swapped neighbours count as one mistake.
    const most = Math.max(1, Math.floor(Math.max(name.length, wanted.length) / 3))
    if (Math.abs(name.length - wanted.length) > most) continue
    const distance = distanceBetween(wanted, name)
    if (distance <= most && (best === undefined || distance < best.distance)) best = { name, distance }
  }
  return best?.name
}

/** Characters to insert, delete, replace or swap with their neighbour. */
function distanceBetween(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, replaced)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j]!, before[j - 2]! + 1)
    }
    before = last
    last = row
  }
  return last[b.length]!
}
