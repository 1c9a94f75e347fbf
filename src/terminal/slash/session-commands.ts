import { MODES } from '../../permissions/rules/modes.ts'
import type { Mode } from '../../permissions/rules/policy.ts'
import { nameKey } from '../../team/name.ts'
import { type Drawn, draw, EMPTY, paint } from '../drawing/drawn.ts'
import { wrappedLines } from '../drawing/text-lines.ts'
import { tokens } from '../drawing/values.ts'
import { type Host, isDone, tell } from '../host.ts'
import { KEY_HELP } from '../keys.ts'
import { permissionsView } from '../views/permissions-view.ts'
import { runningElsewhere, sessionsView } from '../views/sessions-view.ts'
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
      if (isDone(host, done) && done !== '') tell(host, String(done))
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
    about: 'show all rules of permissions and where they come from; or change the mode',
    async run(host, rest) {
      const wanted = rest.trim().toLowerCase()
      if (wanted === '') return host.open(permissionsView(host, await host.control.rules()))
      const mode = MODES.find((one) => one.toLowerCase() === wanted)
      if (mode === undefined)
        return tell(host, `There is no mode ${rest.trim()}. Modes: ${[...CYCLE, 'dontAsk'].join(', ')}.`)
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
  { name: 'clear', args: '', about: 'begin a new session', run: clear },
  { name: 'quit', args: '', about: 'leave; the session can be continued', run: (host) => host.leave({ next: 'quit' }) },
]

async function resume(host: Host, rest: string): Promise<void> {
  const wanted = rest.trim()
  if (host.knowledge.isAttached) return tell(host, attached(`deskmates -r ${wanted === '' ? 'ID' : wanted}`))
  if (wanted !== '' && nameKey(wanted) === nameKey(host.control.session)) return tell(host, 'This is that session.')
  const sessions = await host.knowledge.sessions()
  if (sessions.length === 0) return tell(host, 'There is no other session in this folder.')
  if (wanted === '') return host.open(sessionsView(host, sessions))
  const found = sessions.find(({ id }) => nameKey(id) === nameKey(wanted))
  if (!found) return tell(host, `There is no session ${wanted} in this folder. /resume lists all of them.`)
  if (found.isRunning) return tell(host, runningElsewhere(found.id))
  host.leave({ next: 'resume', session: found.id })
}

function clear(host: Host): void {
  if (host.knowledge.isAttached) tell(host, attached('deskmates'))
  else host.leave({ next: 'new' })
}

function attached(command: string): string {
  return `This terminal shows a session of another process. Leave it with /quit, then: ${command}`
}

function named(
  all: readonly { readonly name: string; readonly description: string }[],
  none: string,
  columns: number,
): Drawn[] {
  if (all.length === 0) return [paint.dim(none)]
  return all.map(({ name, description }) => draw`  ${paint.bold(name).fill(24)} ${description}`.fit(columns))
}

const HELP_COLUMN = 30

/** All commands, then all keys. */
export function helpLines(commands: readonly SlashCommand[], columns: number): Drawn[] {
  const rows = commands.flatMap(({ name, args, about }) => {
    const left = draw`  ${paint.bold(`/${name}`)} ${args}`
    const [first = EMPTY, ...rest] = wrappedLines(about, Math.max(20, columns - HELP_COLUMN - 1))
    const below = rest.map((line) => draw`${EMPTY.fill(HELP_COLUMN)} ${line}`.fit(columns))
    if (left.columns <= HELP_COLUMN) return [draw`${left.fill(HELP_COLUMN)} ${first}`.fit(columns), ...below]
    return [left.fit(columns), draw`${EMPTY.fill(HELP_COLUMN)} ${first}`.fit(columns), ...below]
  })
  const keys = KEY_HELP.flatMap((line) => wrappedLines(line, Math.max(1, columns - 2)))
  return [...rows, EMPTY, ...keys.map((line) => draw`  ${line}`)]
}
