import { expect, it } from 'vitest'
import { openScreen } from '../testing/terminal/screen-harness.ts'
import { created, joined, mail } from '../testing/terminal/team-events.ts'

it('mail is printed before the end of the call that sent it, in one frame or in two', async () => {
  const printed = []
  for (const isOneFrame of [true, false]) {
    const { control, shows, terminal } = await openScreen()
    control.record(created, joined('lead'), joined('ada'))
    control.says('lead', { type: 'tool_use', id: 'c1', name: 'send_message', input: { to: 'ada', content: 'Begin.' } })
    control.record(mail('m1', 'lead', 'ada', 'Begin.'))
    if (!isOneFrame) await shows('✉ lead → ada')
    control.result('lead', 'c1', 'ada: queued')
    await shows('✉ lead → ada', 'ada: queued')
    const lines = (await terminal.everything()).filter((line) => /^(✉|⏺)/.test(line)).map((line) => line.slice(0, 14))
    printed.push(lines)
  }
  expect(printed).toEqual([
    ['✉ lead → ada', '⏺ send_message'],
    ['✉ lead → ada', '⏺ send_message'],
  ])
})
