import { withServer } from '../postgres.mjs'
import { tail } from '../tails.mjs'

const readers = { processes: 8, handles: 8 }

export default {
  name: 'the same readers: transactions per append of 1 MB',
  against: 'of 100 bytes',
  unit: 'transactions',
  atMost: 1.2,
  rounds: 2,
  open: () =>
    withServer(async (server) => ({
      async round() {
        const small = await tail(server, { ...readers, size: 100 })
        const large = await tail(server, { ...readers, size: 1_000_000 })
        return { ours: large.statements, limit: small.statements }
      },
      close() {},
    })),
}
