/** A process of a crowd: `prepare` gets what it is told and returns the work, which returns how much was done. */
export async function takePart(prepare) {
  for (;;) {
    const { prepare: piece } = await message()
    const work = await prepare(piece)
    process.send('ready')
    await message()
    process.send({ done: await work() })
  }
}

function message() {
  return new Promise((resolve) => process.once('message', resolve))
}
