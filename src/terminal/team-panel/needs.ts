import type { Need } from '../../view/needs-person.ts'
import { inputFields } from '../conversation/entry-lines.ts'
import { changeLines, fileChangeOf } from '../conversation/file-change.ts'
import { type Drawn, draw, EMPTY, paint, spread, withSeenSigns } from '../drawing/drawn.ts'
import { markdownLines, wrappedLines } from '../drawing/text-lines.ts'

/** What a person can do about a need with one key. */
export type NeedKey = 'y' | 'a' | 's' | 'n' | 'v'

/** Names one need among all, also after others were settled. */
export function needId(need: Need): string {
  switch (need.kind) {
    case 'question':
      return `question ${need.question.id}`
    case 'request':
      return `request ${need.team} ${need.id}`
    case 'failed_task':
      return `task ${need.team} ${need.task} ${need.at}`
    case 'mail':
      return `mail ${need.team} ${need.count} ${need.at}`
    default:
      return need satisfies never
  }
}

/** Who waits for the person; commands accept it as a name. */
export function needOwner(need: Need): string {
  switch (need.kind) {
    case 'question':
      return need.question.agent
    case 'request':
      return need.from
    case 'failed_task':
      return `#${need.task}`
    case 'mail':
      return need.from
    default:
      return need satisfies never
  }
}

/** The need in one line, without the keys. */
export function needText(need: Need): Drawn {
  const owner = paint.bold(needOwner(need))
  switch (need.kind) {
    case 'question': {
      const { about } = need.question
      if (about.kind === 'plan') return draw`${owner} has a plan: ${firstLine(about.plan)}`
      return draw`${owner} wants ${about.tool}: ${subjectOf(about)}`
    }
    case 'request':
      return draw`${owner} asks for ${need.request.replaceAll('_', ' ')}: ${firstLine(need.content)}`
    case 'failed_task':
      return draw`${owner} ${need.subject} failed: ${firstLine(need.reason)}`
    case 'mail':
      return draw`${need.count} unread for you, the last from ${owner}`
    default:
      return need satisfies never
  }
}

/** Each key with what it does, in the order they are shown. */
export function needKeys(need: Need): readonly (readonly [NeedKey, string])[] {
  switch (need.kind) {
    case 'question': {
      const { about } = need.question
      if (about.kind === 'plan') return [['y', 'approve'], ['n', 'reject'], VIEW]
      const always: (readonly [NeedKey, string])[] = about.rules.length > 0 ? ALWAYS : []
      return [['y', 'once'], ...always, ['n', 'no'], VIEW]
    }
    case 'request':
      return [['y', 'approve'], ['n', 'reject'], VIEW]
    case 'failed_task':
      return [['y', 'retry'], ['n', 'hide'], VIEW]
    case 'mail':
      return [['n', 'hide'], VIEW]
    default:
      return need satisfies never
  }
}

const VIEW = ['v', 'view'] as const
const ALWAYS: (readonly [NeedKey, string])[] = [
  ['a', 'always'],
  ['s', 'save…'],
]

export function needRow(need: Need, isSelected: boolean, columns: number): Drawn {
  const mark = paint.yellow(isSelected ? '›!' : ' !')
  const text = draw`${mark} ${needText(need)}`
  // What is asked matters more than the keys, which the footer repeats: they get what is left, and half of the row at least.
  const free = Math.max(Math.floor(columns / 2), columns - text.columns - 2)
  const keys = needKeys(need).map(([key, what]) => `${key} ${what}`)
  while (keys.length > 1 && keys.join(' · ').length > free) keys.pop()
  return spread(text, paint.dim(keys.join(' · ')), columns)
}

/** Everything a person has to know before the answer: the whole command, the whole change, the whole plan. */
export function wholeNeed(need: Need, columns: number): Drawn[] {
  switch (need.kind) {
    case 'question': {
      const { about, agent } = need.question
      if (about.kind === 'plan')
        return [
          draw`${paint.bold(agent)} wants to begin with this plan:`.fit(columns),
          EMPTY,
          ...markdownLines(about.plan, columns),
        ]
      const rules = about.rules.map((rule) => draw`  ${rule}`.fit(columns))
      const always = rules.length > 0 ? [paint.dim('always (this session) allows:').fit(columns), ...rules] : []
      return [
        draw`${paint.bold(agent)} wants ${about.tool}${about.action.kind === 'write' ? ` ${about.action.path}` : ''}`.fit(
          columns,
        ),
        ...wholeAction(about, columns),
        ...wrappedLines(`asked because ${about.why}`, columns).map(paint.dim),
        ...always,
      ]
    }
    case 'request':
      return [
        draw`${paint.bold(need.from)} asks for ${need.request.replaceAll('_', ' ')}:`.fit(columns),
        ...wrappedLines(need.content, columns),
      ]
    case 'failed_task':
      return [
        paint.bold(draw`#${need.task} ${need.subject}`).fit(columns),
        draw`failed:`.fit(columns),
        ...wrappedLines(need.reason, columns),
      ]
    case 'mail':
      return [needText(need).fit(columns)]
    default:
      return need satisfies never
  }
}

type Permission = Extract<Extract<Need, { kind: 'question' }>['question']['about'], { kind: 'permission' }>

function wholeAction({ tool, input, action }: Permission, columns: number): Drawn[] {
  if (action.kind === 'run')
    return wrappedLines(withSeenSigns(action.command), Math.max(1, columns - 2)).map(
      (line) => draw`  ${paint.cyan(line)}`,
    )
  const teammates = teammatesIn(input)
  if (teammates) return teammates.flatMap((one) => teammateLines(one, columns))
  const change = fileChangeOf(tool, input)
  return change ? changeLines(change, columns) : inputFields(input, columns)
}

function subjectOf({ action, input }: Permission): string {
  if (action.kind === 'run') return action.command
  if (action.kind !== 'use') return action.path
  return (teammatesIn(input) ?? [])
    .map(({ name, role }) => `${name}${role === undefined ? '' : ` (${role})`}`)
    .join(', ')
}

interface WantedTeammate {
  readonly name: string
  readonly role?: string
  readonly prompt?: string
}

/** The teammates that the lead wants to start, where the question is about them. */
function teammatesIn(input: unknown): readonly WantedTeammate[] | undefined {
  const { teammates } = (input ?? {}) as { teammates?: unknown }
  return Array.isArray(teammates) ? (teammates as WantedTeammate[]) : undefined
}

function teammateLines({ name, role = '', prompt = '' }: WantedTeammate, columns: number): Drawn[] {
  const words = prompt === '' ? [] : wrappedLines(prompt, Math.max(1, columns - 4)).map((line) => draw`    ${line}`)
  return [draw`  ${paint.bold(name)} ${role}`.fit(columns), ...words]
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]!
}

/** Something waits for the answer; failed tasks and mail only want to be seen. */
export function isAsked({ kind }: Need): boolean {
  return kind === 'question' || kind === 'request'
}
