import type { Stop } from './agent-event.ts'

/** Which limit stopped an agent, as a clause about it. */
export function limitWords({ limit, why }: Extract<Stop, { kind: 'limit' }>): string {
  switch (limit) {
    case 'turns':
      return 'this run made all the model calls it was allowed (--max-turns)'
    case 'output':
      return 'its answer was cut off'
    case 'failures':
      return why ?? 'it repeated failing calls without progress'
    default:
      return limit satisfies never
  }
}
