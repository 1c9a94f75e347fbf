import { type Command, Option } from 'commander'
import { commandId, name } from './arguments.ts'

/** The same options at every level, so that users may put them anywhere. The rightmost counts. */
export function addGlobals(command: Command): Command {
  const options = [
    new Option('--team <team>', 'the team (DESKMATES_TEAM; else default)').argParser(name),
    new Option('--cwd <dir>', 'work as if started in this folder'),
    new Option('--store <store>', 'files, or postgres://… for many machines (DESKMATES_STORE)'),
    new Option('--command-id <id>', 'repeating the command with this id returns its first answer').argParser(commandId),
    new Option('--json', 'print JSON on stdout'),
  ]
  for (const option of options) command.addOption(option.helpGroup('Global options:'))
  return command
}
