/** `42s`, `2m03`, `1h05`. */
export function elapsed(seconds: number): string {
  const all = Math.max(0, Math.floor(seconds))
  if (all < 60) return `${all}s`
  if (all < 3600) return `${Math.floor(all / 60)}m${twoDigits(all % 60)}`
  return `${Math.floor(all / 3600)}h${twoDigits(Math.floor((all % 3600) / 60))}`
}

/** `0.21 $`; `?` where a price is unknown. */
export function dollars(amount: number | null): string {
  return amount === null ? '? $' : `${amount.toFixed(2)} $`
}

/** `950`, `12k`, `1.4M`. */
export function tokens(count: number): string {
  if (count < 1000) return String(count)
  return count < 1_000_000 ? `${Math.round(count / 1000)}k` : `${(count / 1_000_000).toFixed(1)}M`
}

/** Local time of day, `12:41`. */
export function timeOfDay(seconds: number): string {
  const at = new Date(seconds * 1000)
  if (Number.isNaN(at.getTime())) return '?'
  return `${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`
}

/** Local date, `2026-11-17`. */
export function dateOf(seconds: number): string {
  const at = new Date(seconds * 1000)
  if (Number.isNaN(at.getTime())) return '?'
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
