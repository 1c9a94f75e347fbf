/** In a worker process: `prepare` gets its piece and returns the work, which returns how much it did. */
export async function runRounds(prepare) {
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
