import { withServer } from '../postgres.mjs'
import { tail } from '../tails.mjs'

export default {
  name: 'PostgreSQL: append → 64 tailing readers (p50)',
  against: 'one reader',
  unit: 'ms',
  atMost: 3,
  rounds: 5,
  open: () =>
    withServer(async (server) => ({
      async round() {
        const one = await tail(server, { processes: 1, handles: 1, size: 100 })
        const many = await tail(server, { processes: 8, handles: 8, size: 100 })
        return { ours: many.latency, limit: one.latency }
      },
      close() {},
    })),
}
