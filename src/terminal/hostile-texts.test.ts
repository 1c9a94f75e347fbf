import { visibleWidth } from '@earendil-works/pi-tui'
import { describe, expect, it } from 'vitest'
import { hostileSession } from '../testing/terminal/hostile-host.ts'
import { hostileTexts } from '../testing/terminal/hostile-texts.ts'
import { openScreen } from '../testing/terminal/screen-harness.ts'
import { claimed, created, failed, joined, mail, task } from '../testing/terminal/team-events.ts'
import { columnsOf } from './drawing/columns.ts'
import { draw, paint, spread } from './drawing/drawn.ts'
import { markdownLines, wrappedLines } from './drawing/text-lines.ts'

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what they find.
/** All that we and pi-tui write: colours, moves, clearing, modes of the terminal, the end of a link, the bell with its notice. */
const OURS =
  /\x1b\[[\d;]*m|\x1b\[\d*[ABCDGHJK]|\x1b\[\?(?:2026|25|7|1049)[hl]|\x1b\]8;;\x07|\x07\x1b\]9;[^\x00-\x1f\x7f-\x9f]*\x07\x1b\]777;notify;deskmates;[^\x00-\x1f\x7f-\x9f]*\x07|\r\n|\r/g
const HARMFUL = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/u
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: control characters are what they find.

describe('hostile texts', () => {
  it('are at least 200, all different', () => {
    expect(new Set(hostileTexts).size).toBeGreaterThanOrEqual(200)
  })

  it.for([1, 7, 40, 80])('fit into %i columns and hold no control character, as a line and as a text', (columns) => {
    for (const text of hostileTexts) {
      const lines = [
        draw`${text}`.fit(columns),
        paint.red(draw`a ${text} b`).fit(columns),
        spread(draw`${text}`, draw`${text}`, columns),
        ...(columns > 1 ? [...wrappedLines(text, columns), ...markdownLines(text, columns)] : []),
      ]
      for (const { ansi } of lines) {
        expect(columnsOf(ansi)).toBeLessThanOrEqual(columns)
        expect(visibleWidth(ansi)).toBeLessThanOrEqual(columns)
        expect(ansi.replace(OURS, '')).not.toMatch(HARMFUL)
      }
    }
  })

  it('in every place that is drawn change nothing but their own text', async () => {
    const hostile = (i: number) => hostileTexts[i % hostileTexts.length]!
    const open = await openScreen({
      knowledge: {
        project: hostile(0),
        skills: hostileTexts.slice(0, 20).map((text, i) => ({ name: `s${i}`, description: text })),
        agentTypes: [{ name: hostile(4), description: hostile(5) }],
        sessions: async () => hostileTexts.map(hostileSession),
      },
    })
    const { control, clock, shows, hides, type, terminal } = open
    control.record(created, joined('backend', hostile(3)))
    hostileTexts.forEach((text, i) => {
      control.record(task(String(i + 1), text), mail(`m${i}`, 'backend', 'lead', text))
      control.delta('lead', text, i % 2 === 0 ? 'text' : 'thinking')
      control.says(
        'lead',
        { type: 'text', text },
        { type: 'tool_use', id: `c${i}`, name: text, input: { command: text, [text]: text } },
      )
      control.line('lead', { type: 'deskmates/progress', tool_use_id: `c${i}`, text })
      control.result('lead', `c${i}`, text, i % 3 === 0)
      control.input('lead', text)
      control.line('lead', { type: 'deskmates/note', text })
      control.line('lead', { type: 'deskmates/waiting', provider: text, seconds: 100, why: text })
      control.line('backend', {
        type: 'deskmates/tool_started',
        parent_tool_use_id: null,
        tool_use_id: `b${i}`,
        name: text,
        input: { path: text },
      })
      const action =
        i % 2 === 0
          ? ({ kind: 'run', tool: text, command: text } as const)
          : ({ kind: 'write', tool: 'edit_file', path: text } as const)
      const input = { path: text, old_text: text, new_text: `${text}!` }
      control.question(`q${i}`, text.slice(0, 20), {
        kind: 'permission',
        tool: text,
        input,
        action,
        why: text,
        rules: [text],
      })
    })
    control.record(claimed('1', 'backend'), failed('1', hostile(7)))
    control.question('plan', 'backend', { kind: 'plan', plan: hostileTexts.join('\n\n') })
    control.run('working')
    control.run('settled', hostile(8))
    await shows('deskmates')
    clock.advance(5)
    await shows('more rows')
    for (const command of ['/tasks', '/mail', '/help', '/resume']) {
      type(`<escape>${command}<enter>`)
      await shows('esc back')
      type('<escape>')
      await hides('esc back · PgUp')
    }
    type('<escape>/inbox<enter>/team<enter>/skills<enter>/agents<enter>/cost<enter>')
    await shows(/all +0 tokens/)
    type('<ctrl+o>')
    await shows('tool calls')
    type('<enter><escape><escape>the end')
    const screen = (await shows('the end')).split('\n')
    expect(terminal.written.replace(OURS, '')).not.toMatch(HARMFUL)
    expect(terminal.written).not.toContain('\x1b[8m')
    expect(screen).toHaveLength(24)
    expect(screen.filter((line) => /^─{80}$/.test(line))).toHaveLength(2)
    expect(screen.findIndex((line) => line.startsWith('the end'))).toBe(
      screen.findIndex((line) => /^─{80}$/.test(line)) + 1,
    )
    expect(screen.filter((line) => line.includes('default mode'))).toHaveLength(1)
  })
})
