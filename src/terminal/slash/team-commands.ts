import { agentRows } from '../../view/agent-rows.ts'
import type { Need } from '../../view/needs-person.ts'
import { totals } from '../../view/totals.ts'
import { answerNeed } from '../answer-need.ts'
import { type Drawn, draw, EMPTY, paint } from '../drawing/drawn.ts'
import { dollars, elapsed, tokens } from '../drawing/values.ts'
import { type Host, isDone, memberNames, tell } from '../host.ts'
import { firstWord } from '../input/parse-input.ts'
import { offerSaving } from '../save-rule.ts'
import { type NeedKey, needOwner, needText } from '../team-panel/needs.ts'
import type { SlashCommand } from './slash-command.ts'

export const teamCommands: readonly SlashCommand[] = [
  {
    name: 'team',
    args: '[list | add NAME ROLE [PROMPT] | remove NAME]',
    about: 'list the team, add a teammate, ask one to stop',
    run(host, rest) {
      const [verb, args] = firstWord(rest)
      if (verb === '' || verb === 'list') return host.print((columns) => rosterLines(host, columns))
      if (verb === 'add') return spawn(host, args, '/team add NAME ROLE [PROMPT]')
      if (verb === 'remove') return stop(host, args, '/team remove NAME')
      tell(host, `/team knows list, add and remove, not ${verb}.`)
    },
  },
  {
    name: 'spawn',
    args: 'NAME ROLE [PROMPT]',
    about: 'start a teammate',
    run: (host, rest) => spawn(host, rest, '/spawn NAME ROLE [PROMPT]'),
  },
  {
    name: 'shutdown',
    args: 'NAME|all [now]',
    about: 'ask a teammate to stop; `now` stops it at once',
    run: (host, rest) => stop(host, rest, '/shutdown NAME|all [now]'),
  },
  {
    name: 'approve',
    args: '[NAME] [always|save]',
    about: 'allow what waits for you; without a name the first',
    run: (host, rest) => answer(host, rest, true),
  },
  {
    name: 'reject',
    args: '[NAME] [WHY]',
    about: 'deny what waits for you, and say why',
    run: (host, rest) => answer(host, rest, false),
  },
  {
    name: 'cost',
    args: '',
    about: 'what each agent has used',
    run: (host) => host.print((columns) => costLines(host, columns)),
  },
]

/** The roster: also teammates that stopped. */
function rosterLines({ view, clock }: Host, columns: number): Drawn[] {
  const rows = agentRows(view, clock.now())
  if (rows.length === 0) return [paint.dim('No team yet.')]
  const width = Math.min(20, Math.max(...rows.map(({ name }) => name.length)))
  return rows.map((row) => {
    const task = row.task ? draw`#${row.task.id} ${row.task.subject}` : EMPTY
    const state = draw`${row.state.replaceAll('_', ' ')} ${elapsed(clock.now() - row.since)}`
    return draw`  ${paint.bold(row.name).fill(width)}  ${draw`${row.role}`.fit(24)}  ${state}  ${task}`.fit(columns)
  })
}

function costLines({ view, clock, knowledge }: Host, columns: number): Drawn[] {
  const rows = agentRows(view, clock.now()).map((row) =>
    draw`  ${paint.bold(row.name).fill(20)} ${tokens(row.tokens)} tokens  ${dollars(row.dollars)}`.fit(columns),
  )
  const all = totals(view)
  const limit = knowledge.budget === null ? '' : ` of ${dollars(knowledge.budget)}`
  return [
    ...rows,
    draw`  ${paint.bold('all').fill(20)} ${tokens(all.tokens)} tokens  ${dollars(all.dollars)}${limit}`.fit(columns),
  ]
}

async function spawn(host: Host, args: string, usage: string): Promise<void> {
  const [name, rest] = firstWord(args)
  const [role, prompt] = firstWord(rest)
  if (name === '' || role === '') return tell(host, `Usage: ${usage}`)
  if (isDone(host, await host.control.spawn(name, role, prompt))) tell(host, `${name} starts as ${role}.`)
}

async function stop(host: Host, args: string, usage: string): Promise<void> {
  const [name, how] = firstWord(args)
  const mates = memberNames(host).filter((member) => member !== 'lead')
  if (name === '') return tell(host, `Usage: ${usage}`)
  const stopped = name === 'all' ? mates : mates.filter((mate) => mate.toLowerCase() === name.toLowerCase())
  if (stopped.length === 0)
    return tell(host, `No teammate is called ${name}. Teammates: ${mates.join(', ') || 'none'}.`)
  for (const mate of stopped)
    if (isDone(host, await host.control.stop(mate, how === 'now')))
      tell(host, how === 'now' ? `${mate} is stopped.` : `${mate} is asked to stop.`)
}

async function answer(host: Host, rest: string, isApproved: boolean): Promise<void> {
  const needs = host.needs()
  const [word, words] = firstWord(rest)
  const named = needs.find((need) => isCalled(need, word))
  const need = named ?? (needs.length === 1 || word === '' ? needs[0] : undefined)
  if (!need) {
    const waiting = needs.map((one) => draw`  ${needOwner(one)}: ${needText(one)}`)
    tell(host, needs.length === 0 ? 'Nothing waits for you.' : `Say whom: ${needs.map(needOwner).join(', ')}.`)
    return host.print((columns) => waiting.map((line) => line.fit(columns)))
  }
  const feedback = named ? words : rest
  if (isApproved && need.kind === 'question' && feedback.trim() === 'save yes')
    return offerSaving(host, need.question, true)
  const key = isApproved ? (APPROVALS.get(feedback.trim()) ?? 'y') : 'n'
  await answerNeed(host, need, key, key === 'y' || key === 'n' ? feedback.trim() : '')
}

/** Words behind the name that are not feedback. */
const APPROVALS = new Map<string, NeedKey>([
  ['always', 'a'],
  ['save', 's'],
])

function isCalled(need: Need, word: string): boolean {
  const names = [
    needOwner(need),
    ...(need.kind === 'request' ? [need.id] : []),
    ...(need.kind === 'question' ? [need.question.id] : []),
  ]
  return names.some((name) => name.toLowerCase() === word.toLowerCase() || name === `#${word}`)
}
