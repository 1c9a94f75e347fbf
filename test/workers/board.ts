import { makeBoard } from '../storms/board.ts'
import { createRandom } from '../storms/random.ts'

/** Prints the storm's board, for the benchmark of the same work without kills. */
const [count, seed] = process.argv.slice(2)
process.stdout.write(JSON.stringify(makeBoard(Number(count), createRandom(Number(seed))).drafts))
