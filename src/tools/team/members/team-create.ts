import { z } from 'zod'
import { defineTool } from '../../define-tool.ts'
import type { ToolFactory } from '../../own-tool.ts'
import type { TeamControl } from '../../team-control.ts'
import type { Tool } from '../../tool.ts'
import { granted } from '../not-done.ts'
import description from './team-create.md'

export const teamCreate: ToolFactory<'TeamCreate'> = {
  name: 'TeamCreate',
  roles: ['lead'],
  spelling: 'team',
  needsTeam: true,
  create: ({ teamControl }) => teamControl && createTeamCreate(teamControl),
}

function createTeamCreate(teamControl: TeamControl): Tool {
  return defineTool({
    name: 'TeamCreate',
    description,
    input: z.strictObject({ name: z.string().min(1), description: z.string().optional() }),
    action: () => undefined,
    async run({ name, description }) {
      const { isNew } = granted(await teamControl.createTeam(name, description))
      return isNew
        ? `Team '${name}' created. You lead it, and it is your current team: TaskCreate and Task act there from now on.`
        : `Team '${name}' already exists, and you lead it. Name it as team_name to act there.`
    },
  })
}
