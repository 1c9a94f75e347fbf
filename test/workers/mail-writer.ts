import { setTimeout as sleep } from 'node:timers/promises'
import { openTeam } from '../../src/journal/team-handle.ts'
import { isRefusal } from '../../src/team/refusal.ts'
import { refusalText } from '../../src/team/refusal-text.ts'
import { openStore } from '../storms/open-store.ts'
import { TEAM } from '../storms/place.ts'
import { sideFile } from '../storms/side-file.ts'

/** Sends `count` messages, or without end, `width` messages at once, and notes each id before it is sent and after it was acknowledged. */
const [place = '', beliefs = '', name = '', width = '1', count = 'Infinity'] = process.argv.slice(2)
process.on('disconnect', () => process.exit(0))
const note = sideFile(`${beliefs}/sent-${name}-${process.pid}`)
const team = await openTeam(await openStore(place), TEAM)
const awkward = 'line\nbreak "quote" \u2028 {"sum":"0123456789abcdef"}'

for (let n = 0; n < Number(count); ) {
  await Promise.all(Array.from({ length: Number(width) }, () => send(n++)))
}
await team.close()
process.exit(0)

async function send(number: number): Promise<void> {
  const id = `${name}-${process.pid}-${number}`
  // Longer than the pieces in which some ways of appending write.
  const content = number % 300 === 299 ? awkward.repeat(15_000) : `${number} ${awkward}`
  note('try', id)
  const effects = await team.send({ to: 'box', content }, { by: { name }, commandId: id })
  if (isRefusal(effects)) throw new Error(refusalText(effects))
  if (effects[0]?.outcome === 'queued') return note('ack', id)
  note('bounced', id)
  await sleep(100)
}
