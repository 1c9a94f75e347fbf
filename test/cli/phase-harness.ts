import { join } from 'node:path'
import { type CommandHarness, commandHarness } from './command-harness.ts'
import { writeLines } from './plan-files.ts'

export const PHASE = '.yolo-planning/phases/03-api'

/** A workspace with the organisation `engineering`, which is trusted, and a phase with one requirement. */
export async function phaseHarness(): Promise<CommandHarness> {
  const cli = commandHarness()
  await cli.ok('org init engineering')
  await cli.ok('trust')
  writeLines(cli.dir, join(PHASE, 'reqs.jsonl'), { id: 'R1', t: 'Users are listed' })
  return cli
}
