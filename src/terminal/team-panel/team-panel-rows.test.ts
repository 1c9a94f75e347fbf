import { describe, expect, it } from 'vitest'
import { fakeSessionControl } from '../../testing/terminal/fake-session-control.ts'
import { claimed, created, failed, joined, task } from '../../testing/terminal/team-events.ts'
import { applyLine } from '../../view/apply-line.ts'
import { emptyView } from '../../view/view.ts'
import { TeamPanel } from './team-panel.ts'

function playedView() {
  const view = emptyView()
  const control = fakeSessionControl(() => 1000)
  control.subscribe((timed) => applyLine(view, timed))
  control.record(
    created,
    joined('ada'),
    joined('bob'),
    task('1', 'Publish'),
    claimed('1', 'ada'),
    failed('1', 'no token'),
  )
  return view
}

describe('rows of the team panel', () => {
  it('begin with what needs the person, a failed task too', () => {
    const rows = new TeamPanel().rows(playedView(), 1000)
    expect(rows.map(({ id }) => id)).toEqual(['task s1 1 1000', 'agent s1 ada', 'agent s1 bob'])
  })

  it('leave out what the person hid', () => {
    const panel = new TeamPanel()
    panel.hide('task s1 1 1000')
    expect(panel.rows(playedView(), 1000).map(({ kind }) => kind)).toEqual(['agent', 'agent'])
  })

  it('keep the selected row in sight when they do not fit', () => {
    const panel = new TeamPanel()
    const rows = panel.rows(playedView(), 1000)
    panel.select(rows[2])
    const lines = panel.lines(rows, 1000, 80, 2).map(({ bare }) => bare)
    expect(lines).toEqual([expect.stringMatching(/^›● bob/), expect.stringMatching(/2 more rows/)])
  })

  it('select the nearest row when the selected one is gone', () => {
    const panel = new TeamPanel()
    const rows = panel.rows(playedView(), 1000)
    panel.select(rows[0])
    expect(panel.selected(rows.slice(1))?.id).toBe('agent s1 ada')
    expect(panel.neighbour(rows.slice(1), -1)).toBeUndefined()
    expect(panel.neighbour(rows.slice(1), 5)?.id).toBe('agent s1 bob')
  })
})
