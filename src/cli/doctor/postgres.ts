import { ulid } from 'ulid'
import type { Store } from '../../journal/log/store.ts'
import { openTeam, type TeamHandle } from '../../journal/team-handle.ts'
import { allTasks } from '../../team/board/board.ts'
import { isRefusal } from '../../team/refusal.ts'
import { granted } from '../program/failure.ts'
import { wantedStore } from '../workspace/open-store.ts'
import { type Examination, type Finding, fail, notAvailable, pass, why } from './examination.ts'
import { createTestTeam, TEST_MEMBERS } from './test-environment.ts'

const TASKS = 10

/** Opens a store as every command does; what it cannot do well goes to `warn`. */
type OpenStore = (options: { url: string; warn: (message: string) => void }) => Promise<Store>

/**
 * Two connections claim on a team that exists only for this and is removed for good. What any command leaves in a
 * database stays: the tables where there were none and, for a day, that this process has ended.
 */
export function postgres(openStore: OpenStore): Examination {
  return {
    name: 'PostgreSQL',
    onDisk: false,
    remedy:
      'Is the server running (PostgreSQL 14 or newer), is the address right, and may this user make a schema in that database? Try the address with psql',
    async examine({ call, patience }) {
      const url = wantedStore(call)
      if (url === 'files') return notAvailable('no address given', 'Give one: deskmates doctor --store postgres://…')
      const warnings: string[] = []
      try {
        const options = { url, warn: (message: string) => void warnings.push(message) }
        await using first = await openStore(options)
        await using second = await openStore(options)
        const finding = await tryOut(first, second, patience)
        return { ...finding, detail: [finding.detail, ...warnings].join('; ') }
      } catch (error) {
        return fail(withoutPassword(why(error), url))
      }
    },
  }
}

async function tryOut(first: Store, second: Store, patience: number): Promise<Finding> {
  const name = `doctor-${ulid()}`
  let finding: Finding
  try {
    const tasks = Array.from({ length: TASKS }, (_, n) => ({ subject: `Task ${n + 1}` }))
    await using ada = await createTestTeam(first, name, tasks)
    await using bob = await openTeam(second, name)
    finding = await claimAll([ada, bob])
    if (finding.verdict === 'pass') finding = pass(`${finding.detail}; ${await wake(ada, bob, patience)}`)
  } finally {
    await first.remove(name, true)
  }
  const left = (await second.teams()).includes(name)
  return left ? fail(`team ${name} was removed and is still there`) : finding
}

/** How soon a waiting connection notices what the other wrote: at once, or at its next poll where the server cannot notify. */
async function wake(ada: TeamHandle, bob: TeamHandle, patience: number): Promise<string> {
  await bob.refresh()
  const woken = bob.changed(patience)
  granted(await ada.send({ to: 'bob', content: 'wake up' }))
  const sent = performance.now()
  await woken
  return `a notification came ${Math.max(0, performance.now() - sent).toFixed(0)} ms after it was sent`
}

/**
 * Each task is claimed through both at the same moment. The winner completes it through the other's connection,
 * which only works if both see the same journal.
 */
async function claimAll(teams: readonly [TeamHandle, TeamHandle]): Promise<Finding> {
  const began = performance.now()
  for (const { id } of allTasks(teams[0].state)) {
    const claims = await Promise.all(teams.map((team, i) => team.run({ type: 'task.claim', id }, as(i))))
    const winners = claims.flatMap((answer, i) => (isRefusal(answer) ? [] : [i]))
    const [winner = 0] = winners
    if (winners.length !== 1) return fail(`task ${id} was won by ${winners.length} of two connections`)
    granted(await teams[1 - winner]!.run({ type: 'task.complete', id }, as(winner)))
  }
  const took = (performance.now() - began) / TASKS
  return pass(`${TASKS} tasks, each won by one of two connections and done, ${took.toFixed(1)} ms each`)
}

function as(i: number) {
  return { by: { name: TEST_MEMBERS[i]! } }
}

/** Reports are shown to others. */
function withoutPassword(text: string, url: string): string {
  const [, password = ''] = /^[^:]+:\/\/[^/@]*?:([^@]*)@/.exec(url) ?? []
  return [password, unescaped(password)]
    .filter((secret) => secret !== '')
    .reduce((shown, secret) => shown.replaceAll(secret, '***'), text)
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
