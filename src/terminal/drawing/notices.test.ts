import { describe, expect, it } from 'vitest'
import type { QuestionLine } from '../../session/wire/live-line.ts'
import { hostileTexts } from '../../testing/terminal/hostile-texts.ts'
import { openScreen } from '../../testing/terminal/screen-harness.ts'
import { noticeSequence } from './notices.ts'

const NOTICE = '\x1b]9;'
const question: QuestionLine['about'] = {
  ...{ kind: 'permission', tool: 'bash', input: { command: 'npm test' }, why: 'no rule allows it', rules: [] },
  action: { kind: 'run', tool: 'bash', command: 'npm test' },
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds.
const CONTROLS = /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g
const count = (text: string, part: string) => text.split(part).length - 1

describe('a notice', () => {
  it('rings once when a person is needed, and once when all is done', async () => {
    const { control, shows, hides, clock, terminal } = await openScreen()
    control.run('working')
    control.question('q1', 'lead', question)
    await shows('lead wants bash')
    clock.advance(30)
    await shows('30s')
    expect(count(terminal.written, NOTICE)).toBe(1)
    expect(terminal.written).toContain('\x1b]9;lead wants bash: npm test\x07')
    control.line('lead', { type: 'deskmates/question_closed', id: 'q1', outcome: 'allowed' })
    await hides('lead wants bash')
    control.run('settled')
    await hides('working')
    clock.advance(30)
    await shows('deskmates')
    expect(terminal.written).toContain('\x1b]777;notify;deskmates;All is done.\x07')
    expect(count(terminal.written, NOTICE)).toBe(2)
  })

  it.for(['bell', 'off'] as const)('of the mode %s shows nothing on the desktop', async (notices) => {
    const { control, shows, terminal } = await openScreen({ notices })
    control.question('q1', 'lead', question)
    await shows('lead wants bash')
    expect(terminal.written).not.toMatch(/notify;deskmates|]9;/)
    expect(noticeSequence('text', notices, {})).toBe(notices === 'bell' ? '\x07' : '')
  })

  it('is passed through tmux and screen, and only rings on the console', () => {
    expect(noticeSequence('Done.', 'desktop', { TMUX: '/tmp/tmux-0/default,1,0' })).toBe(
      '\x07\x1bPtmux;\x1b\x1b]9;Done.\x07\x1b\\\x1bPtmux;\x1b\x1b]777;notify;deskmates;Done.\x07\x1b\\',
    )
    expect(noticeSequence('Done.', 'desktop', { STY: '1.tty' })).toContain('\x1bP\x1b]9;Done.\x07\x1b\\')
    expect(noticeSequence('Done.', 'desktop', { TERM: 'linux' })).toBe('\x07')
  })

  it('carries no sequence of a hostile text, and no further field', () => {
    for (const text of hostileTexts) {
      const sequence = noticeSequence(`${text};more`, 'desktop', {})
      // Only the signs of the two notices themselves.
      expect([...sequence.matchAll(CONTROLS)].map(([sign]) => sign).join('')).toBe('\x07\x1b\x07\x1b\x07')
      expect(count(sequence, ';')).toBe(4)
    }
  })
})
