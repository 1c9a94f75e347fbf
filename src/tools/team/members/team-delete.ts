import { z } from 'zod'
import type { Message } from '../../../team/message.ts'
import { defineTool } from '../../define-tool.ts'
import type { ToolFactory } from '../../own-tool.ts'
import type { TeamControl } from '../../team-control.ts'
import type { Tool } from '../../tool.ts'
import { granted } from '../not-done.ts'
import description from './team-delete.md'

/** Needs no leave: it ends only what this lead began, after asking each of them, and everything is kept on disk. */
export const teamDelete: ToolFactory<'TeamDelete'> = {
  name: 'TeamDelete',
  roles: ['lead'],
  spelling: 'team',
  needsTeam: true,
  create: ({ teamControl }) => teamControl && createTeamDelete(teamControl),
}

function createTeamDelete(teamControl: TeamControl): Tool {
  return defineTool({
    name: 'TeamDelete',
    description,
    input: z.strictObject({ name: z.string().min(1) }),
    action: () => undefined,
    async run({ name }, context) {
      const { notified, report, unread: letters } = granted(await teamControl.deleteTeam(name))
      const count = `${notified} ${notified === 1 ? 'teammate' : 'teammates'} notified`
      const mail = letters.filter(({ message }) => !isInReport(message)).map(({ text: words }) => words)
      const text = [`Team '${name}' deleted, ${count}. Nobody of it works any more.`, ...report, ...mail].join('\n')
      return { text: await context.outputs.fit(text, 'team'), mail: letters.map(({ message }) => message.id) }
    },
  })
}

/** That a teammate rests, or agreed to stop and what it left: the report says so. */
function isInReport({ type, approve }: Message): boolean {
  return type === 'idle_notification' || (type === 'shutdown_response' && approve === true)
}
