import { counted } from '../team/wording.ts'
import { totals } from '../view/totals.ts'
import type { View } from '../view/view.ts'
import { type Drawn, draw, EMPTY, paint, spread } from './drawing/drawn.ts'
import { dollars, elapsed, timeOfDay } from './drawing/values.ts'
import type { ProjectKnowledge } from './host.ts'

/** The parts of the screen below finished text, from top to bottom. */
export interface LiveParts {
  /** The end of the conversation that still changes. */
  readonly open: readonly Drawn[]
  readonly status: readonly Drawn[]
  readonly header: Drawn
  readonly panel: readonly Drawn[]
  /** All of what is asked; it is shown whole or not at all as answered. */
  readonly card: readonly Drawn[]
  readonly editor: readonly Drawn[]
  /** Written by a program of the user; left out where the screen is too small for it. */
  readonly below: readonly Drawn[]
  readonly footer: Drawn
}

export interface ArrangedLines {
  readonly lines: readonly Drawn[]
  /** Every line of the card is on the screen. */
  readonly isCardWhole: boolean
}

/** Fits the parts into the rows: the editor and the panel first, then the card, then as much of the conversation as is left. */
export function arrange(
  { open, status, header, panel, card, editor, below, footer }: LiveParts,
  rows: number,
): ArrangedLines {
  const withoutBelow = Math.max(0, rows - editor.length - panel.length - 2)
  const shownBelow = below.slice(0, Math.max(0, withoutBelow - MIN_FREE_ROWS))
  const free = withoutBelow - shownBelow.length
  const isCardWhole = card.length <= free
  const shownCard = isCardWhole ? card : [...card.slice(0, Math.max(0, free - 1)), moreOf(card.length - free + 1)]
  const left = Math.max(0, free - shownCard.length)
  const shownStatus = status.slice(0, left)
  const space = left - shownStatus.length
  const shownOpen = space > 0 ? open.slice(-space) : []
  return {
    lines: [...shownOpen, ...shownStatus, header, ...panel, ...shownCard, ...editor, ...shownBelow, footer],
    isCardWhole,
  }
}

/** Rows that stay for the conversation and for what is asked. */
const MIN_FREE_ROWS = 8

function moreOf(count: number): Drawn {
  return paint.yellow(`  … ${counted(count, 'more line')}: v shows all of it`)
}

/** Project and model, the time, the money. */
export function headerLine(
  view: View,
  { project, budget }: Pick<ProjectKnowledge, 'project' | 'budget'>,
  now: number,
  columns: number,
): Drawn {
  const { dollars: spent, tokens } = totals(view)
  const money =
    tokens === 0 && budget === null
      ? ''
      : ` · ${budget === null ? dollars(spent) : `${dollars(spent).replace(' $', '')} of ${dollars(budget)}`}`
  const right = draw` ${timeOfDay(now)}${money}`
  const left = draw`─ ${paint.bold('deskmates')} · ${draw`${project}`.fit(24)} · ${view.session?.model ?? 'no model yet'} `
  const shown = left.fit(Math.max(0, columns - right.columns - 1))
  const rule = paint.dim('─'.repeat(Math.max(0, columns - shown.columns - right.columns)))
  return draw`${shown}${rule}${right}`.fit(columns)
}

/** That the lead works, and what waits for it. */
export function statusLines(view: View, queued: readonly string[], now: number, columns: number): Drawn[] {
  const lead = view.agents.get('lead')
  const waits = lead?.waiting && lead.waiting.until > now ? draw` · waits for the provider: ${lead.waiting.why}` : EMPTY
  const working = view.run.isWorking
    ? [
        draw`${paint.yellow('✻')} working ${paint.dim(elapsed(now - view.run.since))}${waits}${paint.dim(' · esc interrupts')}`.fit(
          columns,
        ),
      ]
    : []
  return [...working, ...queued.map((text) => paint.dim(draw`  queued: ${text}`).fit(columns))]
}

/** The keys of a session without teammates. */
export const KEYS_ALONE = '/ help · @ file · ! shell · ^O calls'

export function footerLine(hint: string | undefined, keys: string, { mode }: View, columns: number): Drawn {
  const right = paint.dim(`${mode === 'default' ? 'default' : mode} mode · ⇧⇥`)
  return spread(hint === undefined ? paint.dim(keys) : paint.yellow(hint), right, columns)
}

/** A view over the whole screen: its title, the part of it that is in sight, its keys. */
export function coverLines(
  title: Drawn,
  body: readonly Drawn[],
  { position, keys, editor }: { readonly position: string; readonly keys: Drawn; readonly editor: readonly Drawn[] },
  columns: number,
  rows: number,
): Drawn[] {
  const rule = spread(draw`${paint.dim('──')} ${title}`, paint.dim(position), columns)
  const height = Math.max(0, rows - 2 - editor.length)
  const padding = Array.from({ length: Math.max(0, height - body.length) }, () => EMPTY)
  return [rule, ...body.map((line) => line.fit(columns)), ...padding, ...editor, keys.fit(columns)]
}
