import { openDecisionRate } from './decision-rate.mjs'
import { follow } from './readers.mjs'
import { withServer } from './server.mjs'

const SYNCED_INSERTS = 'single-row synced inserts, 8 processes'
const readers = { processes: 8, handles: 8 }

export default [
  {
    id: 'postgres-decisions',
    name: 'PostgreSQL: claims and completions, 8 processes',
    against: SYNCED_INSERTS,
    unit: 'per second',
    atLeast: 0.2,
    rounds: 5,
    open: () => openDecisionRate({ tasks: 1600 }),
  },
  {
    id: 'postgres-decisions-mail',
    name: 'the same under 8 processes that send messages',
    against: SYNCED_INSERTS,
    unit: 'per second',
    atLeast: 0.1,
    rounds: 5,
    open: () => openDecisionRate({ tasks: 600, senders: 8 }),
  },
  {
    id: 'postgres-readers',
    name: 'PostgreSQL: append → 64 readers that follow the log (p50)',
    against: 'one reader',
    unit: 'ms',
    atMost: 3,
    rounds: 5,
    open: () =>
      withServer((server) => ({
        async round() {
          const one = await follow(server, { processes: 1, handles: 1, size: 100 })
          const many = await follow(server, { ...readers, size: 100 })
          return { ours: many.latency, limit: one.latency }
        },
        close() {},
      })),
  },
  {
    id: 'postgres-reader-transactions',
    name: 'the same readers: transactions per append of 1 MB',
    against: 'of 100 bytes',
    unit: 'transactions',
    atMost: 1.2,
    rounds: 2,
    open: () =>
      withServer((server) => ({
        async round() {
          const small = await follow(server, { ...readers, size: 100 })
          const large = await follow(server, { ...readers, size: 1_000_000 })
          return { ours: large.transactions, limit: small.transactions }
        },
        close() {},
      })),
  },
]
