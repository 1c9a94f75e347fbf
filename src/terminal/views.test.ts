import { describe, expect, it } from 'vitest'
import { openScreen } from '../testing/terminal/screen-harness.ts'
import { claimed, created, joined, mail, stopped, task } from '../testing/terminal/team-events.ts'

async function openTeam() {
  const open = await openScreen()
  open.control.record(created, joined('backend', 'coder'), joined('tester', 'qa', 'idle'))
  await open.shows('backend', 'tester')
  return open
}

describe("a teammate's conversation", () => {
  it('opens with ↓ and Enter, shows what was said before, streams, and takes what is typed', async () => {
    const { control, type, shows, called, hides } = await openTeam()
    control.past.push({ at: 1, line: { ...user('backend', 'Write the schema'), session_id: 's1' } as never })
    type('<down><enter>')
    await shows('backend (coder)', '> Write the schema', 'esc interrupt')
    control.delta('backend', 'I read the routes')
    await shows('I read the routes')
    type('use the new names<enter>')
    await called('send', 'backend', 'use the new names')
    type('<escape>')
    await called('interrupt', 'backend')
    type('<left>')
    await hides('backend (coder)')
    await shows('tester')
  })

  it('is left with Esc when the teammate does not work, and asks it to stop with Ctrl+X', async () => {
    const { type, shows, called, hides, control } = await openTeam()
    type('<down><down><enter>')
    await shows('tester (qa)')
    type('<ctrl+x>')
    await called('stop', 'tester', false)
    type('<escape>')
    await hides('tester (qa)')
    expect(control.calls.map(([method]) => method)).toEqual(['stop'])
  })
})

describe('views over the whole screen', () => {
  it('give the conversation back as it was, and print what was finished meanwhile once', async () => {
    const { control, type, shows, hides, terminal } = await openTeam()
    for (let i = 0; i < 30; i++) control.says('lead', { type: 'text', text: `Paragraph ${i}.` })
    await shows('Paragraph 29.')
    type('<ctrl+t>')
    await shows('board')
    await hides('Paragraph')
    for (let i = 30; i < 60; i++) control.says('lead', { type: 'text', text: `Paragraph ${i}.` })
    type('<escape>')
    await shows('Paragraph 59.')
    const all = (await terminal.everything()).join('\n')
    for (let i = 0; i < 60; i++) expect(all).toContain(`Paragraph ${i}.`)
    for (let i = 30; i < 60; i++) expect(all.split(`Paragraph ${i}.`)).toHaveLength(2)
  })

  it('draw the board as a graph', async () => {
    const { control, type, shows } = await openTeam()
    control.record(
      task('1', 'Schema'),
      task('2', 'Server', ['1']),
      task('3', 'Client', ['1']),
      task('4', 'Tests', ['2', '3']),
    )
    control.record(claimed('1', 'backend'))
    type('/tasks<enter>')
    await shows(/● +#1 Schema.*in progress · backend/, /#2 Server {2}waits for #1/, /#4 Tests {2}waits for #2, #3/)
  })

  it('show mail with sender, recipient and text', async () => {
    const { control, type, shows } = await openTeam()
    control.record(mail('m1', 'backend', 'tester', 'The schema is ready.\nPlease test it.'))
    await shows('✉ backend → tester', 'The schema is ready.')
    type('/mail<enter>')
    await shows('── mail', '✉ backend → tester', '  Please test it.')
  })

  it('show which files the person attached to mail', async () => {
    const { control, type, shows } = await openTeam()
    const message = {
      id: 'm1',
      type: 'message',
      from: 'user',
      to: 'tester',
      content: 'See @a.ts',
      timestamp: 1,
    } as const
    const attached = [{ name: 'a.ts', about: '2 lines', path: 'attached-1.txt', sum: '1' }]
    control.record({ type: 'message.sent', message: { ...message, attached } })
    await shows('✉ user → tester', '⎿ attached a.ts (2 lines)')
    type('/mail<enter>')
    await shows('── mail', '⎿ attached a.ts (2 lines)')
  })

  it('open a tool call in full', async () => {
    const { control, type, shows } = await openTeam()
    control.says('lead', { type: 'tool_use', id: 'c1', name: 'bash', input: { command: 'npm test' } })
    control.result('lead', 'c1', Array.from({ length: 10 }, (_, i) => `test ${i} ok`).join('\n'))
    await shows('⏺ bash npm test', 'test 0 ok (9 more lines)')
    type('<ctrl+o>')
    await shows('tool calls', /› \d\d:\d\d bash npm test/)
    type('<enter>')
    await shows('command:', 'test 9 ok')
  })

  it('announce mail, and not the prompt that the person wrote', async () => {
    const { control, shows, hides } = await openScreen()
    const message = { id: 'm1', type: 'message', from: 'user', to: 'lead', content: 'Go on.', timestamp: 1 } as const
    control.record({ type: 'message.sent', message: { ...message, prompt: true } })
    control.input('lead', 'Go on.')
    control.record({ type: 'message.sent', message: { ...message, id: 'm2', to: 'ada', content: 'And you?' } })
    await shows('> Go on.', '✉ user → ada')
    await hides('✉ user → lead')
  })

  it('announce that all teammates shut down', async () => {
    const { control, shows } = await openTeam()
    control.record(stopped('backend'), stopped('tester'))
    await shows('[all teammates shut down]')
  }) // B73
})

describe('a resize', () => {
  it('keeps the scrollback and fits every line, in the middle of a stream and with wide characters', async () => {
    const { control, shows, terminal } = await openTeam()
    for (let i = 0; i < 40; i++)
      control.says('lead', { type: 'text', text: `Paragraph ${i} ${'漢字かな'.repeat(12)}.` })
    control.delta('lead', `Streaming ${'emoji 👩‍👩‍👧‍👦 '.repeat(20)}`)
    await shows('Streaming')
    terminal.resize(40, 12)
    await shows('emoji', /^─{40}$/m, 'backend')
    terminal.resize(100, 30)
    control.delta('lead', 'end of it')
    await shows('end of it', 'backend', 'Paragraph 39')
    expect((await terminal.everything()).join('\n')).toMatch(/^Paragraph 0$/m)
  })
})

function user(agent: string, text: string) {
  return { agent, type: 'user', parent_tool_use_id: null, message: { role: 'user', content: [{ type: 'text', text }] } }
}
