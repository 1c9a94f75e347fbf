/** The limit that stopped an agent; `why` says more where there is more to say. */
export interface ReachedLimit {
  readonly limit: 'turns' | 'output' | 'failures'
  readonly why?: string | undefined
}

/** Which limit stopped an agent, as a clause about it. */
export function limitText({ limit, why }: ReachedLimit): string {
  switch (limit) {
    case 'turns':
      return 'this run made all the model calls it was allowed'
    case 'output':
      return 'its answer was cut off'
    case 'failures':
      return why ?? 'it repeated failing calls without progress'
    default:
      return limit satisfies never
  }
}
