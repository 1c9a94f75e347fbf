import { z } from 'zod'
import type { Office } from '../../ports/seat.ts'
import type { Tool } from '../../ports/tool.ts'
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
      const { notified, report } = granted(await office.deleteTeam(name))
      const count = `${notified} ${notified === 1 ? 'teammate' : 'teammates'} notified`
      const text = [`Team '${name}' deleted, ${count}. Nobody of it works any more.`, ...report].join('\n')
      return { text: await world.outputs.fit(text, 'team') }
    },
  })
}
