/** A part of a text that is secret. */
export interface Span {
  readonly start: number
  readonly end: number
}

export const GONE = '[redacted]'

/** In order, with those that overlap or touch made one. */
export function merged(spans: readonly Span[]): Span[] {
  const whole: { start: number; end: number }[] = []
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = whole.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else whole.push({ start, end })
  }
  return whole
}

/** The text between two places without its secrets. No span may reach over `to`; one that reaches over `from` is cut. */
export function without(text: string, spans: readonly Span[], from = 0, to = text.length): string {
  let shown = ''
  let at = from
  for (const { start, end } of spans) {
    if (end <= from || start >= to) continue
    shown += text.slice(at, Math.max(start, from)) + GONE
    at = end
  }
  return shown + text.slice(at, to)
}
