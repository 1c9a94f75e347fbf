import { expect, it } from 'vitest'
import { fakeSessionControl } from '../../testing/terminal/fake-session-control.ts'
import { created, joined, mail } from '../../testing/terminal/team-events.ts'
import { applyLine } from '../../view/apply-line.ts'
import { emptyView } from '../../view/view.ts'
import type { Host } from '../host.ts'
import { mailCommands } from './mail-commands.ts'

it('/inbox shows the same unread mail however often a person looks', () => {
  const view = emptyView()
  const control = fakeSessionControl(() => 1000)
  control.subscribe((timed) => applyLine(view, timed))
  control.record(created, joined('lead'), joined('ada'), mail('m1', 'ada', 'lead', 'The form is done.'))
  const printed: string[][] = []
  const host = {
    view,
    control,
    print: (lines) => printed.push(lines(80).map(({ bare }) => bare)),
  } as Partial<Host> as Host
  const inbox = mailCommands.find(({ name }) => name === 'inbox')!
  inbox.run(host, '')
  inbox.run(host, '')
  expect(printed).toEqual([EXPECTED, EXPECTED])
  expect(control.calls).toEqual([])
}) // B16, F12

const EXPECTED = ['lead has 1 unread:', '  ✉ ada', '    The form is done.']
