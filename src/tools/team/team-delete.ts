import { z } from 'zod'
import type { Office } from '../../ports/seat.ts'
import type { Tool } from '../../ports/tool.ts'
import type { Message } from '../../team/message.ts'
import { defineTool } from '../define-tool.ts'
import { granted } from './not-done.ts'
import description from './team-delete.md'

/** Needs no leave: it ends only what this lead began, after asking each of them, and everything is kept on disk. */
export function createTeamDelete(office: Office): Tool {
  return defineTool({
    name: 'TeamDelete',
    description,
    input: z.strictObject({ name: z.string().min(1) }),
    wish: () => undefined,
    async run({ name }, world) {
      const { notified, report, letters } = granted(await office.deleteTeam(name))
      const count = `${notified} ${notified === 1 ? 'teammate' : 'teammates'} notified`
      const mail = letters.filter(({ message }) => !isInReport(message)).map(({ words }) => words)
      const text = [`Team '${name}' deleted, ${count}. Nobody of it works any more.`, ...report, ...mail].join('\n')
      return { text: await world.outputs.fit(text, 'team'), mail: letters.map(({ message }) => message.id) }
    },
  })
}

/** That a teammate rests, or agreed to stop and what it left: the report says so. */
function isInReport({ type, approve }: Message): boolean {
  return type === 'idle_notification' || (type === 'shutdown_response' && approve === true)
}
