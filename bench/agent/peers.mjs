import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { cpuPerTurn } from './conversation.mjs'

/** Other agent libraries are not dependencies of ours: they are installed here or in the folder that BENCH_PEERS names. */
export const peer = createRequire(join(resolve(process.env.BENCH_PEERS ?? '.'), 'here.js'))

/** The same conversation by the loop of another library, which stores nothing. For information: it has no goal. */
export function peerRow(name, worker, packages) {
  return {
    id: `agent-beside-${worker}`,
    name: `CPU of a tool turn (50 turns) beside ${name}`,
    against: name,
    unit: 'ms',
    rounds: 2,
    async open() {
      const missing = packages.filter((wanted) => !isInstalled(wanted)).map(packageOf)
      if (missing.length > 0) return { unavailable: `to measure it, install ${missing.join(' ')} (BENCH_PEERS)` }
      return { round: () => cpuPerTurn({ turns: 50, times: 20, beside: worker }) }
    },
  }
}

function isInstalled(name) {
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
