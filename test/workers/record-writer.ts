import { advance, START } from '../../src/journal/log/cursor.ts'
import { openFileStore } from '../../src/stores/files/store.ts'

/** Appends `count` facts of `size` bytes, each with a decision that is tried until it counts, and says what counted. */
const [dir = '', name = '', count = '0', size = '0'] = process.argv.slice(2)
const store = await openFileStore({ dir })
const log = await store.log('web/journal')
const text = name.repeat(Math.ceil(Number(size) / name.length))
let at = START
let conflicts = 0

for (let number = 0; number < Number(count); number++) {
  const id = `${name}-${number}`
  for (let tries = 0; ; tries++) {
    await log.holdBack()
    for (let batch = await log.read(at); batch.length > 0; batch = await log.read(at)) at = batch.reduce(advance, at)
    const decision = { id: `${id}-decision`, after: at.last, tries }
    const { outcomes, durable } = await log.append([{ id: `${id}-${tries}`, text }, decision])
    await durable
    if (outcomes[0] !== 'accepted') throw new Error(`a fact was ${outcomes[0]}`)
    if (outcomes[1] === 'accepted') break
    conflicts++
  }
}
await store[Symbol.asyncDispose]()
process.send?.({ conflicts })
process.disconnect?.()
