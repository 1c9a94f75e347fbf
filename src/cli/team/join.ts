import { name as aName, kind, role } from '../program/arguments.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { changeMember } from './change-member.ts'

export const teamJoin: SubCommand<{ role: string; kind: 'external' | 'human' }, [member: string]> = {
  example: "$ deskmates team join ci --role 'load tester'",
  instead: () => 'Use your Task tool with name and team_name to bring in a teammate.',
  define(command) {
    command
      .argument('<member>', 'its name', aName)
      .requiredOption('--role <role>', "what it does in the team, such as 'frontend dev'", role)
      .option('--kind <kind>', 'external (a script or program) or human (a person)', kind, 'external')
  },
  run: (call, { role, kind }, name) => changeMember(call, { type: 'member.join', name, role, kind }, 'create'),
}
