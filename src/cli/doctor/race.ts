import { openTeam, type TeamHandle } from '../../journal/team-handle.ts'
import { allTasks } from '../../team/board/board.ts'
import { isRefusal } from '../../team/refusal.ts'
import { counted } from '../../team/wording.ts'
import { printJson } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { granted } from '../program/failure.ts'
import { openStore } from '../workspace/open-store.ts'
import { type Examination, type Finding, fail, pass } from './examination.ts'
import { createTestTeam, TEST_MEMBERS } from './test-environment.ts'

const TEAM = 'race'
const TASKS = 20

/** Two processes claim the same tasks in the same order, beginning at the same moment. */
export const race: Examination = {
  name: 'two processes',
  onDisk: true,
  remedy:
    'Appends of two processes do not stay apart here. Use a local disk: DESKMATES_DIR=/a/local/folder deskmates doctor; if this is one, please report it',
  async examine({ folder, open, play }) {
    const dir = folder('race')
    await using workspace = await open(dir)
    const tasks = Array.from({ length: TASKS }, (_, n) => ({ subject: `Task ${n + 1}` }))
    await using team = await createTestTeam(workspace.store, TEAM, tasks)
    const processes = TEST_MEMBERS.map((name) => play(dir, 'claimant', name))
    await Promise.all(processes.map((process) => process.nextMessage()))
    for (const process of processes) process.send('go')
    const won = (await Promise.all(processes.map((process) => process.nextMessage()))) as string[][]
    await team.refresh()
    return judge(team, won, await countLateClaims(team))
  },
}

/** The processes have to agree with the journal, and each task has one winner. */
function judge({ state }: TeamHandle, won: readonly (readonly string[])[], late: number): Finding {
  for (const { id, attempts, ...task } of allTasks(state)) {
    const winners = TEST_MEMBERS.filter((_, i) => won[i]?.includes(id))
    if (winners.length !== 1)
      return fail(`task ${id} was won by ${winners.join(' and ') || 'no process'}, instead of by one of two`)
    const owner = task.status === 'completed' ? task.owner : task.status
    if (owner !== winners[0] || attempts !== 1)
      return fail(`${winners[0]} believes it has done task ${id}, the journal says: ${owner}`)
  }
  const shares = TEST_MEMBERS.map((name, i) => `${name} ${won[i]?.length}`).join(', ')
  const skipped = counted(late, 'late claim was skipped', 'late claims were skipped')
  return pass(`${TASKS} tasks, each won by one (${shares}); ${skipped}`)
}

async function countLateClaims({ log }: TeamHandle): Promise<number> {
  let count = 0
  for await (const batch of log.audit()) count += batch.filter(({ verdict }) => verdict === 'refused').length
  return count
}

/** One of the two processes: prints that it is ready, waits for a line, claims, and prints the tasks it has won. */
export async function playClaimant(call: Call, name: string): Promise<void> {
  await using workspace = await openStore(call)
  await using team = await openTeam(workspace.store, TEAM)
  await team.refresh()
  const ids = allTasks(team.state).map(({ id }) => id)
  await printJson(call, { ready: ids.length })
  if (!(await receivesGo(call))) return
  const won: string[] = []
  for (const id of ids) {
    if (isRefusal(await team.run({ type: 'task.claim', id }, { by: { name } }))) continue
    won.push(id)
    granted(await team.run({ type: 'task.complete', id }, { by: { name } }))
  }
  await printJson(call, won)
}

/** False when the process that started this one is gone. */
async function receivesGo({ stdin }: Call): Promise<boolean> {
  for await (const _ of stdin) return true
  return false
}
