import type { HandOff, HandOffDraft, RecordedHandOff } from '../../team/phases/phase.ts'

/** A hand-off before it is recorded. */
export interface HandOffContent extends Pick<HandOff, 'folder' | 'kind' | 'from' | 'to' | 'content'> {
  /** The values its status goes through, in this order, and none left out; empty: it can be replaced at any time. */
  readonly progress: readonly string[]
}

/** The key of a contract's or design's state in its content. */
const STATUS = 'status'

/**
 * What is recorded for a hand-off. Each endpoint of a contract has a status of its own: proposed, then agreed, then
 * implemented. One that was agreed is not proposed again: that is a conflict for the owner.
 */
export function handOffDraft({ progress, ...handOff }: HandOffContent): HandOffDraft {
  const status = typeof handOff.content[STATUS] === 'string' ? handOff.content[STATUS] : 'recorded'
  const place = progress.indexOf(status)
  const subjects = subjectsOf(handOff)
  if (place < 0) return { ...handOff, status, subjects: [], after: [] }
  return { ...handOff, status, subjects, after: [place === 0 ? null : (progress[place - 1] ?? null)] }
}

function subjectsOf({ kind, from, to, content }: Omit<HandOffContent, 'progress'>): string[] {
  const { endpoints } = content
  if (!Array.isArray(endpoints)) return [`${kind} from ${from} to ${to}`]
  const names = endpoints.map((endpoint) => {
    const { method, path } = (typeof endpoint === 'object' && endpoint !== null ? endpoint : {}) as Record<
      string,
      unknown
    >
    return `${String(method).toUpperCase()} ${path}`
  })
  return [...new Set(names)]
}

/** A file of hand-offs: one line each, in the order in which they were recorded. */
export function handOffLines(handOffs: readonly RecordedHandOff[]): string {
  return handOffs
    .map(
      ({ kind, from, to, content, at }) => `${JSON.stringify({ type: kind, from, to, ...content, recorded_at: at })}\n`,
    )
    .join('')
}
