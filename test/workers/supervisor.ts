import { openTeam } from '../../src/runtime/team.ts'
import { openFileStore } from '../../src/stores/files/file-store.ts'
import { isRefusal } from '../../src/team/refusal.ts'
import { memberNamed } from '../../src/team/state.ts'
import { TEAM } from '../storms/place.ts'

/** Supervises the team and gives every process it is told about a generation of its name. */
const [dir = ''] = process.argv.slice(2)
process.on('disconnect', () => process.exit(0))
const store = await openFileStore({ dir, durability: 'process' })
const team = await openTeam(store, TEAM)

const took = await team.run({ type: 'supervise', runtime: store.presence.self })
if (isRefusal(took)) throw new Error(took.message)
process.send?.({ supervises: true })

process.on('message', async ({ name, runtime }: { name: string; runtime: string }) => {
  const commandId = `spawn-${name}-${runtime}`
  const spawn = { type: 'member.spawn', name, role: 'worker', runtime } as const
  const answer = await team.run(spawn, { commandId })
  if (isRefusal(answer)) throw new Error(answer.message)
  const generation = answer.member!.generation
  // Somebody may have declared it lost in the meantime: then its successor is about to be announced.
  const member = memberNamed(team.state, name)
  if (member?.generation === generation) process.send?.({ spawned: runtime, generation, epoch: member.epoch })
})
