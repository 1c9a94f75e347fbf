import { z } from 'zod'
import type { Message } from '../../../team/message.ts'
import { defineTool } from '../../define-tool.ts'
import type { ToolFactory } from '../../own-tool.ts'
import type { TeamControl } from '../../team-control.ts'
import type { Tool } from '../../tool.ts'
import { granted } from '../not-done.ts'
import description from './team-delete.md'

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
      const { notified, report, unread } = granted(await teamControl.deleteTeam(name))
      const count = `${notified} ${notified === 1 ? 'teammate' : 'teammates'} notified`
      const mail = unread.filter(({ message }) => !isInReport(message)).map(({ text }) => text)
      const text = [`Team '${name}' deleted, ${count}. All its agents have stopped.`, ...report, ...mail].join('\n')
      return { ...(await context.outputs.fit(text, 'team')), mail: unread.map(({ message }) => message.id) }
    },
  })
}

/** The report already says that a teammate is idle, or agreed to stop and what it left unfinished. */
function isInReport({ type, approve }: Message): boolean {
  return type === 'idle_notification' || (type === 'shutdown_response' && approve === true)
}
