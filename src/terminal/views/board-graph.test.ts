import { describe, expect, it } from 'vitest'
import type { BoardRow } from '../../view/board-rows.ts'
import { boardLines } from './board-graph.ts'

const row = (id: string, after: string[], status: BoardRow['status'] = 'pending'): BoardRow => ({
  ...{ id, subject: `task ${id}`, status, owner: null, role: null, layer: 0 },
  ...{ after, waitsFor: after },
})
const graph = (rows: BoardRow[]) =>
  boardLines(rows, 60).map(({ bare }) => bare.replace(/ {2}waits.*| {2,}\S+$/, '').trimEnd())

describe('the board as a graph', () => {
  it('draws a line from a task to each task that waits for it', () => {
    const rows = [row('1', [], 'completed'), row('2', ['1']), row('3', ['1']), row('4', ['2', '3'])]
    expect(graph(rows)).toEqual(['✔  #1 task 1', '├─○  #2 task 2', '○ │  #3 task 3', '○─┘  #4 task 4'])
  })

  it('lets a line pass over tasks that do not wait for it', () => {
    const rows = [row('1', []), row('2', []), row('3', []), row('4', ['1', '3']), row('5', ['2'])]
    expect(graph(rows)).toEqual([
      '○  #1 task 1',
      '│ ○  #2 task 2',
      '│ │ ○  #3 task 3',
      '○─┼─┘  #4 task 4',
      '  ○  #5 task 5',
    ])
  })

  it('stays narrow for a board with many lines beside each other', () => {
    const first = Array.from({ length: 40 }, (_, i) => row(String(i + 1), []))
    const lines = boardLines(
      [
        ...first,
        row(
          '41',
          first.map(({ id }) => id),
        ),
      ],
      60,
    )
    expect(lines).toHaveLength(41)
    expect(lines.every(({ columns }) => columns <= 60)).toBe(true)
    expect(lines[30]!.bare).toContain('#31 task 31')
  })
})
