import { MODES } from '../../permissions/rules/modes.ts'
import type { Mode } from '../../permissions/rules/policy.ts'
import { type Drawn, draw, EMPTY, paint } from '../drawing/drawn.ts'
import { wrappedLines } from '../drawing/text-lines.ts'
import { dateOf, timeOfDay, tokens } from '../drawing/values.ts'
import { type Host, isDone, tell } from '../host.ts'
import { KEY_HELP } from '../keys.ts'
import type { SlashCommand } from './slash-command.ts'

/** Modes that a person reaches from the terminal: without bypass, in the order Shift+Tab takes them. */
export const CYCLE: readonly Mode[] = ['default', 'acceptEdits', 'plan']

export const sessionCommands: readonly SlashCommand[] = [
  {
    name: 'compact',
    args: '[FOCUS]',
    about: "summarise the lead's conversation",
    async run(host, rest) {
      const done = await host.control.compact(rest.trim() === '' ? undefined : rest.trim())
      if (isDone(host, done)) tell(host, String(done))
    },
  },
  {
    name: 'context',
    args: '',
    about: "how long the lead's conversation is",
    run(host) {
      const entries = host.view.agents.get('lead')?.conversation.length ?? 0
      tell(
        host,
        `The lead's conversation takes about ${tokens(host.contextTokens)} tokens; ${entries} entries are kept here. /compact summarises it.`,
      )
    },
  },
  {
    name: 'model',
    args: '[NAME]',
    about: "show or change the lead's model",
    async run(host, rest) {
      if (rest.trim() === '')
        return tell(host, `The lead uses ${host.view.session?.model ?? 'no model yet'}. Change it with /model NAME.`)
      if (isDone(host, await host.control.setModel(rest.trim())))
        tell(host, `The lead's next calls use ${rest.trim()}.`)
    },
  },
  {
    name: 'permissions',
    args: '[MODE]',
    about: 'show or change the mode of permissions',
    async run(host, rest) {
      const mode = MODES.find((one) => one.toLowerCase() === rest.trim().toLowerCase())
      if (mode === undefined)
        return tell(
          host,
          `The mode is ${host.view.mode}. Modes: ${[...CYCLE, 'dontAsk'].join(', ')}. Rules are in the settings: deskmates config.`,
        )
      if (mode === 'bypassPermissions')
        return tell(host, 'bypassPermissions can only be chosen when a session is started.')
      isDone(host, await host.control.setMode(mode))
    },
  },
  {
    name: 'agents',
    args: '',
    about: 'agent types of this project',
    run: (host) =>
      host.print((columns) => named(host.knowledge.agentTypes, 'No agent types are defined here.', columns)),
  },
  {
    name: 'skills',
    args: '',
    about: 'skills of this project',
    run: (host) =>
      host.print((columns) =>
        named(
          host.knowledge.skills.map((skill) => ({ ...skill, name: `/${skill.name}` })),
          'No skills are here.',
          columns,
        ),
      ),
  },
  { name: 'resume', args: '[ID]', about: 'continue another session', run: resume },
  { name: 'clear', args: '', about: 'begin a new session', run: (host) => host.leave({ next: 'new' }) },
  { name: 'quit', args: '', about: 'leave; the session can be continued', run: (host) => host.leave({ next: 'quit' }) },
]

async function resume(host: Host, rest: string): Promise<void> {
  const wanted = rest.trim()
  if (wanted !== '') return host.leave({ next: 'resume', session: wanted })
  const sessions = await host.knowledge.sessions()
  if (sessions.length === 0) return tell(host, 'There is no other session in this folder.')
  host.print((columns) => [
    ...sessions.map(({ id, at, firstPrompt, members, unread }) => {
      const mail = unread > 0 ? `  ✉${unread}` : ''
      return draw`  ${paint.bold(id)}  ${dateOf(at)} ${timeOfDay(at)}  ${members.length} members${mail}  ${firstPrompt}`.fit(
        columns,
      )
    }),
    paint.dim('Continue one with /resume ID'),
  ])
}

function named(
  all: readonly { readonly name: string; readonly description: string }[],
  none: string,
  columns: number,
): Drawn[] {
  if (all.length === 0) return [paint.dim(none)]
  return all.map(({ name, description }) => draw`  ${paint.bold(name).fill(24)} ${description}`.fit(columns))
}

/** All commands, then all keys. */
export function helpLines(commands: readonly SlashCommand[], columns: number): Drawn[] {
  const rows = commands.flatMap(({ name, args, about }) => {
    const left = draw`  ${paint.bold(`/${name}`)} ${args}`
    if (left.columns <= 34) return [draw`${left.fill(34)} ${about}`.fit(columns)]
    return [left.fit(columns), draw`${EMPTY.fill(34)} ${about}`.fit(columns)]
  })
  return [...rows, EMPTY, ...KEY_HELP.flatMap((line) => wrappedLines(`  ${line}`, columns))]
}
