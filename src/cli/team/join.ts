import { name as aName, kind, role } from '../program/arguments.ts'
import { Misused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { changeMember } from './change-member.ts'

interface Options {
  role?: string
  kind: 'external' | 'human'
  renewToken?: boolean
}

export const teamJoin: SubCommand<Options, [member: string]> = {
  example: `$ deskmates team join ci --role 'load tester'
$ deskmates team join ci --renew-token`,
  instead: () => 'Use your Task tool with name and team_name to bring in a teammate.',
  define(command) {
    command
      .argument('<member>', 'its name', aName)
      .option('--role <role>', "what it does in the team, such as 'frontend dev'", role)
      .option('--kind <kind>', 'external (a script or program) or human (a person)', kind, 'external')
      .option('--renew-token', 'a new token for a member that has joined; the old one is void')
  },
  async run(call, { role, kind, renewToken }, name) {
    if (renewToken) return changeMember(call, { type: 'token.renew', name }, 'write')
    if (role === undefined)
      throw new Misused("required option '--role <role>' not specified. See: deskmates team join --help")
    return changeMember(call, { type: 'member.join', name, role, kind }, 'create')
  },
}
