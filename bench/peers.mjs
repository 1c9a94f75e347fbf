import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { cpuPerTurn } from './agent.mjs'

/** Peers are no dependencies of ours: they lie beside us, or in a folder of their own that BENCH_PEERS names. */
export const peer = createRequire(join(resolve(process.env.BENCH_PEERS ?? '.'), 'here.js'))

/** The same conversation as ours has, by somebody else's loop, which keeps nothing. For information: it has no goal. */
export function peerRow(name, worker, packages) {
  return {
    name: `CPU of a tool turn (50 turns) beside ${name}`,
    against: name,
    unit: 'ms',
    rounds: 2,
    async open() {
      const missing = packages.filter((wanted) => !isThere(wanted)).map(packageOf)
      if (missing.length > 0) return { unavailable: `to see it, install ${missing.join(' ')} (BENCH_PEERS)` }
      return { round: () => cpuPerTurn(50, 20, worker) }
    },
  }
}

function isThere(name) {
  try {
    peer.resolve(name)
    return true
  } catch {
    return false
  }
}

/** `@a/b/c` is a part of `@a/b`. */
function packageOf(path) {
  return path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/')
}
