import { draw } from '../drawing/drawn.ts'
import { type Host, isDone, tell } from '../host.ts'
import { mailCommands } from './mail-commands.ts'
import { helpLines, sessionCommands } from './session-commands.ts'
import type { SlashCommand } from './slash-command.ts'
import { teamCommands } from './team-commands.ts'
import { commandPrompt } from './user-commands.ts'

const own: readonly SlashCommand[] = [...teamCommands, ...mailCommands, ...sessionCommands]

const help: SlashCommand = {
  name: 'help',
  args: '',
  about: 'commands and keys',
  run: (host) =>
    host.open({
      title: draw`help`,
      lines: (columns) => helpLines([help, ...allCommands(host)], columns),
      keys: '',
      followsEnd: false,
    }),
}

/** Ours first: a project cannot give another meaning to a command of ours. */
export async function runSlashCommand(host: Host, name: string, rest: string): Promise<void> {
  const command = [help, ...allCommands(host)].find((one) => one.name === (name === '?' ? 'help' : name))
  // A server may still be starting: the session knows when its prompts are there, and what to say if there are none.
  if (!command && name.startsWith('mcp__')) return prompt(host, `/${name} ${rest}`.trim())
  if (!command) return tell(host, `There is no command /${name}. /help lists all of them.`)
  await command.run(host, rest)
}

/** For the completion and the help. */
export function slashNames(host: Host): { name: string; about: string }[] {
  return [help, ...allCommands(host)].map(({ name, about }) => ({ name, about }))
}

function allCommands(host: Host): SlashCommand[] {
  const { commands, skills } = host.knowledge
  const written = commands.map(
    (command): SlashCommand => ({
      ...{ name: command.name, args: command.args, about: command.about },
      run: (_, rest) => prompt(host, commandPrompt(command, rest), typedAs(command.name, rest)),
    }),
  )
  const skilled = skills.map(
    ({ name, description }): SlashCommand => ({
      ...{ name: name.toLowerCase(), args: '[TEXT]', about: description },
      run: (_, rest) =>
        prompt(host, `Use the skill ${name}.${rest === '' ? '' : `\n\n${rest}`}`, typedAs(name.toLowerCase(), rest)),
    }),
  )
  const offered = host.view.prompts.map(
    ({ name, about }): SlashCommand => ({
      ...{ name: name.toLowerCase(), args: '[WORDS]', about },
      run: (_, rest) => prompt(host, typedAs(name, rest)),
    }),
  )
  const seen = new Set(['help'])
  return [...own, ...written, ...skilled, ...offered].filter(({ name }) => !seen.has(name) && seen.add(name))
}

function typedAs(name: string, rest: string): string {
  return `/${name} ${rest}`.trim()
}

/** @param line what the person typed, where that is not the prompt itself, which then is not shown. */
async function prompt(host: Host, text: string, line?: string): Promise<void> {
  const outcome = await host.control.prompt(text, line)
  if (isDone(host, outcome) && outcome === 'queued') host.queued(line ?? text)
}
