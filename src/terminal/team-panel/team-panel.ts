import { counted } from '../../team/wording.ts'
import { agentRows } from '../../view/agent-rows.ts'
import type { MemberRow } from '../../view/member-rows.ts'
import { type Need, needsPerson } from '../../view/needs-person.ts'
import type { View } from '../../view/view.ts'
import { type Drawn, paint } from '../drawing/drawn.ts'
import { agentRowLine } from './agent-row.ts'
import { needId, needRow } from './needs.ts'

export type PanelRow =
  | { readonly kind: 'need'; readonly id: string; readonly need: Need }
  | { readonly kind: 'agent'; readonly id: string; readonly agent: MemberRow }

/** What needs the person first, then every teammate. Remembers which row is selected and which needs the person hid. */
export class TeamPanel {
  readonly #hidden = new Set<string>()
  #selected: string | undefined

  rows(view: View, now: number): PanelRow[] {
    const agents = agentRows(view, now).filter(({ name }) => name !== 'lead')
    return [
      ...this.needs(view).map((need): PanelRow => ({ kind: 'need', id: needId(need), need })),
      ...agents.map((agent): PanelRow => ({ kind: 'agent', id: `agent ${agent.team} ${agent.name}`, agent })),
    ]
  }

  needs(view: View): Need[] {
    return needsPerson(view).filter((need) => !this.#hidden.has(needId(need)))
  }

  hide(id: string): void {
    this.#hidden.add(id)
  }

  get isSelecting(): boolean {
    return this.#selected !== undefined
  }

  /** The selected row; the nearest one where it is gone. */
  selected(rows: readonly PanelRow[]): PanelRow | undefined {
    if (this.#selected === undefined) return undefined
    const row = rows.find(({ id }) => id === this.#selected) ?? rows[0]
    this.#selected = row?.id
    return row
  }

  select(row: PanelRow | undefined): void {
    this.#selected = row?.id
  }

  /** The row so many places below the selected one; undefined above the first. */
  neighbour(rows: readonly PanelRow[], steps: number): PanelRow | undefined {
    const at = rows.findIndex(({ id }) => id === this.#selected)
    return rows[Math.min(rows.length - 1, at + steps)]
  }

  /** At most so many lines; the selected row is always among them. */
  lines(rows: readonly PanelRow[], now: number, columns: number, most: number): Drawn[] {
    const selected = this.selected(rows)
    const at = selected ? rows.indexOf(selected) : 0
    const isCut = rows.length > most
    const count = isCut ? Math.max(1, most - 1) : rows.length
    const from = Math.max(0, Math.min(at - count + 1, rows.length - count))
    const shown = rows
      .slice(from, from + count)
      .map((row) =>
        row.kind === 'need'
          ? needRow(row.need, row === selected, columns)
          : agentRowLine(row.agent, now, row === selected, columns),
      )
    return isCut ? [...shown, paint.dim(`   … ${counted(rows.length - count, 'more row')}`).fit(columns)] : shown
  }
}
