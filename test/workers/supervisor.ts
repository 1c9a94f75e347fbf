import { setTimeout as sleep } from 'node:timers/promises'
import { openTeam } from '../../src/journal/team-handle.ts'
import type { Answer } from '../../src/team/answers/answer.ts'
import type { Command } from '../../src/team/command.ts'
import { isRefusal } from '../../src/team/refusal.ts'
import { refusalText } from '../../src/team/refusal-text.ts'
import { memberNamed } from '../../src/team/state.ts'
import { isLeased, openStore } from '../storms/open-store.ts'
import { TEAM } from '../storms/place.ts'

/** Supervises the team and gives every process it is told about a generation of its name. */
const [place = ''] = process.argv.slice(2)
const LAST = 600
process.on('disconnect', () => process.exit(0))
const store = await openStore(place, { durability: 'process' })
const team = await openTeam(store, TEAM)

await inTurn({ type: 'supervise', runtime: store.presence.self })
process.send?.({ supervises: true })

process.on('message', async ({ name, runtime }: { name: string; runtime: string }) => {
  const commandId = `spawn-${name}-${runtime}`
  const spawn = { type: 'member.spawn', name, role: 'worker', runtime } as const
  const answer = await inTurn(spawn, commandId)
  const generation = answer.member!.generation
  // Another process may have declared it lost in the meantime: then its successor is about to be announced.
  const member = memberNamed(team.state, name)
  if (member?.generation === generation) process.send?.({ spawned: runtime, generation, epoch: member.epoch })
})

/** A predecessor that was killed holds its place until its lease is over, where there is one. */
async function inTurn(command: Command, commandId?: string): Promise<Answer> {
  for (let tries = isLeased(place) ? 0 : LAST; ; tries++) {
    const answer = await team.run(command, commandId === undefined ? {} : { commandId })
    if (!isRefusal(answer)) return answer
    if (tries >= LAST || !['supervised', 'member_busy'].includes(answer.code)) throw new Error(refusalText(answer))
    await sleep(50)
  }
}
