import { openTeam } from '../../src/journal/team-handle.ts'
import { isRefusal } from '../../src/team/refusal.ts'
import { refusalText } from '../../src/team/refusal-text.ts'
import { openStore } from '../storms/open-store.ts'
import { TEAM } from '../storms/place.ts'

/**
 * Changes its own task again and again. The clock is read between folding and writing: burning time there makes a
 * slow decider of the same code.
 */
const [place = '', name = '', task = '', slowness = '0', decisions = '0'] = process.argv.slice(2)
process.on('disconnect', () => process.exit(0))
const clock = {
  now() {
    const until = performance.now() + Number(slowness)
    while (performance.now() < until) {}
    return Date.now() / 1000
  },
}
const team = await openTeam(await openStore(place, { durability: 'process' }), TEAM, { clock })

for (let n = 0; n < Number(decisions); n++) {
  const answer = await team.run({ type: 'task.update', id: task, description: `${name} ${n}` })
  if (isRefusal(answer)) throw new Error(refusalText(answer))
}
await team.close()
process.exit(0)
