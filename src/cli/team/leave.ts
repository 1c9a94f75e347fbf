import { member } from '../program/arguments.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { changeMember } from './change-member.ts'

export const teamLeave: SubCommand<object, [member: string]> = {
  example: '$ deskmates team leave ci',
  instead: () => 'Use your SendMessage tool with type shutdown_request.',
  define(command) {
    command.argument('<member>', 'its name', member)
  },
  run: (call, _options, name) => changeMember(call, { type: 'member.stop', name, reason: 'left' }, 'write'),
}
