/**
 * What the rounds of a row amount to. Noise only adds time, so by default the best round of each side counts. Rows with
 * `statistic: 'median'` compare the sides within each round and take the median of that, with its spread. A row none of whose
 * rounds has a `limit` is a count and is judged by itself. If one number of a round is missing, the row was not measured.
 */
export function summarise({ unit, statistic = 'best' }, rounds) {
  const ours = rounds.map((round) => round.ours)
  const limits = rounds.map((round) => round.limit)
  const isCount = limits.every((limit) => limit === undefined)
  // A worker sends a number that is none as null, which counts as 0 in a quotient.
  const numbers = isCount ? ours : [...ours, ...limits]
  if (!numbers.every(Number.isFinite)) return { ours: Number.NaN, limit: undefined, figure: Number.NaN }
  if (statistic === 'best') {
    const best = unit === 'per second' ? Math.max : Math.min
    const [mine, limit] = [best(...ours), isCount ? undefined : best(...limits)]
    return { ours: mine, limit, figure: isCount ? mine : mine / limit }
  }
  const figures = rounds.map((round) => (isCount ? round.ours : round.ours / round.limit))
  return {
    ours: median(ours),
    limit: isCount ? undefined : median(limits),
    figure: median(figures),
    spread: [Math.min(...figures), Math.max(...figures)],
  }
}

/** Whether the figure of a row meets its goal. A figure that is not a number is no measurement. */
export function judge({ atLeast, atMost, goal = 'for information' }, figure) {
  const shown = atLeast !== undefined ? `≥ ${atLeast}` : atMost !== undefined ? `≤ ${atMost}` : goal
  if (!Number.isFinite(figure)) return { goal: shown, verdict: 'not measured: the rounds gave no number' }
  if (atLeast === undefined && atMost === undefined) return { goal: shown, verdict: 'measured' }
  const isMet = atLeast !== undefined ? figure >= atLeast : figure <= atMost
  return { goal: shown, verdict: isMet ? 'met' : 'missed' }
}

/** Rows that keep the benchmark from passing: goals that were missed, and everything that could not be measured. */
export function failuresIn(results) {
  return results.filter(({ verdict }) => verdict !== 'met' && verdict !== 'measured')
}

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
