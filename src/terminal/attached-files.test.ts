import { expect, it } from 'vitest'
import { openScreen } from '../testing/terminal/screen-harness.ts'
import { created, joined } from '../testing/terminal/team-events.ts'

it('shows a file that came with a prompt in one line, not its content', async () => {
  const { control, shows, terminal } = await openScreen()
  control.attached('lead', 'Explain @src/a.ts', 'src/a.ts', '2 lines', 'export const a = 1')
  await shows('> Explain @src/a.ts', '⎿ attached src/a.ts (2 lines)')
  expect(terminal.written).not.toContain('export const')
}) // A87

it('shows it again in a session that is continued, and to a teammate', async () => {
  const { control, shows, type } = await openScreen({
    prepare(control) {
      control.attached('lead', 'Explain @src/a.ts', 'src/a.ts', '2 lines', 'x')
    },
  })
  await shows('⎿ attached src/a.ts (2 lines)')
  control.record(created, joined('alice'))
  control.past.push({
    at: 1,
    line: {
      ...{ type: 'user', session_id: 's1', agent: 'alice', parent_tool_use_id: null },
      message: {
        role: 'user',
        content: [
          {
            ...{ type: 'document', title: 'b.ts', context: '3 lines' },
            source: { type: 'text', media_type: 'text/plain', data: 'y' },
          },
        ],
      },
    },
  })
  await shows('alice')
  type('<down><enter>')
  await shows('── alice', '⎿ attached b.ts (3 lines)')
})

it('says how many lines of a long prompt are not shown, and names no key that does not show them', async () => {
  const { control, shows } = await openScreen()
  control.input('lead', Array.from({ length: 30 }, (_, i) => `line ${i}`).join('\n'))
  expect(await shows('… 20 more lines')).not.toContain('more lines (^O)')
})
