import type { TeamHandle } from '../../journal/team-handle.ts'
import { openTeam } from '../../journal/team-handle.ts'
import { isRefusal } from '../../team/refusal.ts'
import { memberNamed } from '../../team/state.ts'
import { printJson } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { granted } from '../program/failure.ts'
import { openStore } from '../workspace/open-store.ts'
import { type Examination, fail, pass } from './examination.ts'
import { createTestTeam } from './test-environment.ts'

const TEAM = 'kill'

/** A process dies while it holds a claimed task and a message; the next process has to get both. */
export const kill: Examination = {
  name: 'killed process',
  onDisk: true,
  remedy:
    'Whether a process still lives is read from /proc: mount it for this container (or show it: no hidepid), then run deskmates doctor again',
  async examine({ folder, open, play }) {
    const dir = folder('kill')
    await using workspace = await open(dir)
    await using team = await createTestTeam(workspace.store, TEAM, [{ subject: 'Half done' }])
    granted(await team.send({ to: 'ada', content: 'half read' }))
    const holder = play(dir, 'holder')
    await holder.nextMessage()
    const { self } = workspace.store.presence
    const before = { task: await claimed(team), message: await taken(team, self) }
    if (before.task || before.message)
      return fail(`the ${before.task ? 'task' : 'message'} of a living process was given to another one`)
    const signal = await holder.kill()
    if (signal !== 'SIGKILL') return fail(`the process ended by itself (${signal}) before it could be killed`)
    const after = { task: await claimed(team), message: await taken(team, self) }
    if (!after.task || !after.message)
      return fail(`the ${after.task ? 'message' : 'task'} that a killed process held stays with it`)
    return pass('killed with SIGKILL, holding a task and a message; the next process got both at once')
  },
}

/** Does bob get the task? */
async function claimed(team: TeamHandle): Promise<boolean> {
  const answer = await team.run({ type: 'task.claim', id: '1' }, { by: { name: 'bob' } })
  return !isRefusal(answer) && answer.tasks?.[0]?.ended.at(-1)?.end === 'owner lost'
}

/** Whether another reader of ada's mail gets the message, marked as redelivered. */
async function taken(team: TeamHandle, taker: string): Promise<boolean> {
  const { mail } = granted(await team.run({ type: 'mail.take', member: 'ada', taker }))
  return mail?.messages[0]?.redelivered === true
}

/** The process that is killed: it runs the team and an agent of it, which holds the task, and has taken ada's mail. */
export async function playHolder(call: Call): Promise<void> {
  await using workspace = await openStore(call)
  await using team = await openTeam(workspace.store, TEAM)
  const { self } = workspace.store.presence
  granted(await team.run({ type: 'supervise', runtime: self }))
  granted(await team.run({ type: 'member.spawn', name: 'cleo', role: 'tester', runtime: self }))
  const { generation, epoch } = memberNamed(team.state, 'cleo') ?? {}
  granted(await team.run({ type: 'task.claim', id: '1' }, { by: { name: 'cleo', generation, epoch } }))
  granted(await team.run({ type: 'mail.take', member: 'ada', taker: self }))
  await printJson(call, { holding: ['1'] })
  // Until this process is killed, or the process that started it is gone.
  for await (const _ of call.stdin);
}
