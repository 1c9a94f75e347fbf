import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { TimedLine } from '../session/wire/live-line.ts'
import { hostileTexts } from '../testing/terminal/hostile-texts.ts'
import { type OpenScreen, openScreen } from '../testing/terminal/screen-harness.ts'
import { claimed, created, failed, joined, mail, task } from '../testing/terminal/team-events.ts'

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what they find.
/** All that we and pi-tui write: colours, moves, clearing, modes of the terminal, the end of a link, the bell with its notice. */
const OURS =
  /\x1b\[[\d;]*m|\x1b\[\d*[ABCDGHJK]|\x1b\[\?(?:2026|25|7|1049)[hl]|\x1b\]8;;\x07|\x07\x1b\]9;[^\x00-\x1f\x7f-\x9f]*\x07\x1b\]777;notify;deskmates;[^\x00-\x1f\x7f-\x9f]*\x07|\r\n|\r/g
const HARMFUL = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/u
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: control characters are what they find.

const empty = mkdtempSync(join(tmpdir(), 'dm-hostile-'))
afterAll(() => rmSync(empty, { recursive: true }))

const ROWS = 24
const KEYS_OF_VIEW = 'PgUp PgDn'

/** Nothing of a text was obeyed, and the screen has the shape that it has without it. */
async function expectWhole({ terminal }: OpenScreen, first: RegExp, last: RegExp): Promise<void> {
  const screen = await terminal.screen()
  expect(screen).toHaveLength(ROWS)
  expect(screen[0]).toMatch(first)
  expect(screen.filter((line) => last.test(line))).toHaveLength(1)
  expect(screen.findLastIndex((line) => line !== '')).toBe(screen.findIndex((line) => last.test(line)))
  expect(terminal.written.replace(OURS, '')).not.toMatch(HARMFUL)
  expect(terminal.written).not.toContain('\x1b[8m')
}

/** A page for each time that the end is not in sight. */
async function pageThrough(open: OpenScreen, first: RegExp): Promise<void> {
  for (let page = 0; page < 200; page++) {
    const before = (await open.shows(KEYS_OF_VIEW)).split('\n')
    await expectWhole(open, first, /PgUp PgDn/)
    const [, to, of] = /(\d+) of (\d+)$/.exec(before[0]!) ?? []
    expect(to, before[0]).toBeDefined()
    if (to === of) return expect(page).toBeGreaterThan(0)
    open.type('<pagedown>')
    await open.shows(new RegExp(`(?!${to} of)\\d+ of ${of}$`, 'm'))
  }
  expect.fail('The view has no end.')
}

function aliceSays(...content: object[]): TimedLine['line'] {
  const line = { session_id: 's1', agent: 'alice', parent_tool_use_id: null }
  return { type: 'user', ...line, message: { role: 'user', content: content as never } }
}

describe('hostile texts on the screen', () => {
  it("stay in their place in a teammate's conversation that was loaded, and goes on", async () => {
    const open = await openScreen()
    const { control, type, shows } = open
    control.record(created, joined('lead'), joined('alice', hostileTexts[2]!), task('1', hostileTexts[1]!))
    control.record(claimed('1', 'alice'))
    // The view draws the last 200 entries.
    for (const [i, text] of hostileTexts.filter((_, at) => at % 4 === 0).entries()) {
      const call = { type: 'tool_use', id: `c${i}`, name: text, input: { command: text, [text]: text } }
      const source = { type: 'text', media_type: 'text/plain', data: text }
      control.past.push(
        { at: i, line: aliceSays({ type: 'text', text: `<message from="${text}">${text}</message>${text}` }) },
        { at: i, line: aliceSays({ type: 'document', source, title: text, context: text }) },
        {
          at: i,
          line: { ...assistant, message: { ...assistant.message, content: [{ type: 'text', text }, call] } } as never,
        },
        { at: i, line: aliceSays({ type: 'tool_result', tool_use_id: `c${i}`, content: text, is_error: i % 2 === 0 }) },
      )
    }
    await shows('alice')
    type('<down><enter>')
    await shows('── alice', / of \d+$/m)
    for (const text of hostileTexts.slice(0, 60)) control.delta('alice', text)
    control.input('alice', 'The last words.')
    await shows('> The last words.')
    await expectWhole(open, /^── alice/, /PgUp PgDn/)
    for (let page = 0; page < 8; page++) {
      const position = (await shows(KEYS_OF_VIEW)).split('\n')[0]!
      type('<pageup>')
      await open.hides(position)
      await expectWhole(open, /^── alice/, /PgUp PgDn/)
    }
  })

  const line = { type: 'assistant', session_id: 's1', agent: 'alice', parent_tool_use_id: null, cost_usd: 0 } as const
  const usage = { input_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 }
  const assistant = {
    ...line,
    message: { type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', usage },
  }

  // Each seed once, and of the long ones their beginning: every page of a view is looked at.
  const every = hostileTexts
    .filter((_, i) => i % 5 === 0)
    .map((text) => text.slice(0, 200))
    .join('\n')
  const permission = { kind: 'permission', tool: every, why: every, rules: hostileTexts.slice(0, 5) } as const
  it.for([
    ['a command', { ...permission, input: {}, action: { kind: 'run', tool: 'bash', command: every } }],
    [
      'a change of a file',
      {
        ...{ ...permission, tool: 'edit_file', action: { kind: 'write', tool: 'edit_file', path: every } },
        input: { path: every, old_text: every, new_text: `${every}!` },
      },
    ],
    ['a tool of others', { ...permission, input: { [every]: every }, action: { kind: 'use', tool: every } }],
    ['a plan', { kind: 'plan', plan: every }],
  ] as const)('stay in their place in the opened question about %s', async ([, about]) => {
    const open = await openScreen()
    open.control.record(created, joined('lead'), joined('alice'))
    open.control.question('q1', hostileTexts[3]!, about as never)
    await open.shows('more lines: v shows all')
    // The keys of a question count a moment after it took them.
    open.clock.advance(5)
    open.type('v')
    await pageThrough(open, /^── /)
    open.type('n')
    await open.called('answer', 'q1', { allowed: false })
  })

  it.for(['a failed task', 'a request', 'mail'] as const)(
    'stay in their place in the opened view of %s',
    async (kind) => {
      const open = await openScreen()
      const { control, clock, type, shows } = open
      control.record(created, joined('lead'), joined('alice'))
      if (kind === 'a failed task') control.record(task('1', every), claimed('1', 'alice'), failed('1', every))
      if (kind === 'mail') control.record(mail('m1', 'alice', 'user', every))
      if (kind === 'a request')
        control.record({
          ...{ type: 'request.opened', id: 'r1', kind: 'plan_approval', from: 'alice', fromGeneration: 1, to: 'user' },
          ...{ toGeneration: 0, content: every, assignment: null, deadline: null },
        } as never)
      await shows(/^[ ›]!/m)
      clock.advance(5)
      if (kind !== 'a request') type('<down>')
      await shows(/^›!/m)
      type('v')
      await pageThrough(open, /^── /)
    },
  )

  it('stay in their row in the list of completions', async () => {
    const skills = hostileTexts.map((description, i) => ({ name: `s${i}`, description }))
    const named = hostileTexts.map((text) => ({ name: `s${text}`, description: text }))
    const open = await openScreen({ knowledge: { skills: [...skills, ...named], cwd: empty } })
    const { type, shows, terminal } = open
    type('/s')
    await shows('(1/')
    for (let row = 0; row < 25; row++) {
      type('<down>')
      const screen = (await shows(new RegExp(`\\((?:${row + 2}|1)/\\d+\\)`))).split('\n')
      expect(screen.filter((text) => text.startsWith('→ /'))).toHaveLength(1)
      expect(screen.filter((text) => text.includes('default mode'))).toHaveLength(1)
      expect(screen.filter((text) => /^─{80}$/.test(text))).toHaveLength(2)
    }
    expect(terminal.written.replace(OURS, '')).not.toMatch(HARMFUL)
  })

  it('stay in their row as the name of an attached file', async () => {
    const open = await openScreen()
    for (const text of hostileTexts) open.control.attached('lead', 'Read it.', text, text, text)
    open.type('the end')
    const screen = (await open.shows('the end')).split('\n')
    expect(screen.filter((text) => /^─{80}$/.test(text))).toHaveLength(2)
    expect(open.terminal.written.replace(OURS, '')).not.toMatch(HARMFUL)
    const lines = open.terminal.written.match(/⎿ attached /g)
    expect(lines).toHaveLength(hostileTexts.length)
  })
})
