import { once } from 'node:events'
import { openTeam } from '../../src/journal/team-handle.ts'
import type { Answer } from '../../src/team/answers/answer.ts'
import type { Author } from '../../src/team/event.ts'
import { isRefusal, type Refusal } from '../../src/team/refusal.ts'
import { refusalText } from '../../src/team/refusal-text.ts'
import { isLeased, openStore } from '../storms/open-store.ts'
import { TEAM } from '../storms/place.ts'
import { sideFile } from '../storms/side-file.ts'

/**
 * Claims and completes until the board is done, and notes what it was told. With a lease it joins as a script; without
 * one it is an agent and waits to be told which generation it is. `chained`: completes and claims in one write, and
 * waits for the disk; the others only for the journal.
 */
const [place = '', beliefs = '', name = '', lease = '0', chained = ''] = process.argv.slice(2)
process.on('disconnect', () => process.exit(0))
const note = sideFile(`${beliefs}/claims-${name}-${process.pid}`)
const store = await openStore(place, { durability: chained ? 'power' : 'process' })
const team = await openTeam(store, TEAM)
const by = lease === '0' ? await beSpawned() : await join()
const wanted = { type: 'task.claim', ...(lease !== '0' && { lease: Number(lease) }) } as const

let held = await claim()
while (!isDone()) {
  if (held === undefined) {
    await team.changed(100)
    held = await claim()
  } else if (chained) {
    const [, next] = await Promise.all([complete(held), claim()])
    held = next
  } else {
    await complete(held)
    held = await claim()
  }
}
await team.close()
process.exit(0)

async function claim(): Promise<string | undefined> {
  const [task] = answered(await team.run(wanted, { by }))?.tasks ?? []
  if (task) note('claimed', task.id, name, by.generation ?? 1)
  return task?.id
}

async function complete(id: string): Promise<void> {
  const answer = answered(await team.run({ type: 'task.complete', id }, { by }))
  // A note means it was completed before, perhaps by a predecessor of the same name.
  if (answer && !answer.note) note('completed', id, name, by.generation ?? 1)
}

/** A worker that lost its task to a lease, or was replaced, learns it here; anything else is an error. */
function answered(answer: Answer | Refusal): Answer | undefined {
  if (!isRefusal(answer)) return answer
  if (['not_owner', 'wrong_state', 'holds_another'].includes(answer.code)) return undefined
  // It slept past its lease and was taken for dead, which it therefore is.
  if (answer.code === 'fenced' && isLeased(place)) process.kill(process.pid, 'SIGKILL')
  throw new Error(`${answer.code}: ${refusalText(answer)}`)
}

function isDone(): boolean {
  for (const task of team.state.tasks.values()) if (task.status !== 'completed') return false
  return team.state.tasks.size > 0
}

async function join(): Promise<Author> {
  answered(await team.run({ type: 'member.join', name, role: 'worker' }))
  return { name }
}

async function beSpawned(): Promise<Author> {
  process.send?.({ runtime: store.presence.self })
  const [{ generation, epoch }] = (await once(process, 'message')) as [{ generation: number; epoch: number }]
  return { name, generation, epoch }
}
