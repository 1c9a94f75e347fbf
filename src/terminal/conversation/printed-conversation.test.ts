import { describe, expect, it } from 'vitest'
import type { Entry } from '../../view/view.ts'
import type { Block } from '../drawing/scrollback-tui.ts'
import { PrintedConversation } from './printed-conversation.ts'

const text = (content: string, isStreaming: boolean): Entry & { text: string } => ({
  kind: 'text',
  at: 1,
  text: content,
  isStreaming,
})
const shown = (blocks: readonly Block[]) =>
  blocks.flatMap((block) => block.lines(80).map(({ bare }) => bare)).filter((line) => line !== '')

describe('a printed conversation', () => {
  it('prints each entry once, and nothing of an answer after its end', () => {
    const printed = new PrintedConversation()
    const streaming = text('One.\n\nTwo', true)
    expect(shown(printed.takeFinished([streaming]))).toEqual(['One.'])
    const whole = text('One.\n\nTwo.', false)
    expect(shown(printed.takeFinished([whole]))).toEqual(['Two.'])
    expect(printed.takeFinished([whole])).toEqual([])
    whole.text += ' late delta'
    expect(printed.takeFinished([whole])).toEqual([])
    expect(printed.openLines([whole], 1, 80)).toEqual([])
  })

  it('prints an answer again that differs from what streamed', () => {
    const printed = new PrintedConversation()
    printed.takeFinished([text('Wrong start.\n\nNext', true)])
    const lines = shown(printed.takeFinished([text('Right.', false)]))
    expect(lines).toEqual(['· The answer began again:', 'Right.'])
  })

  it('ends an answer in its place when the agent was interrupted', () => {
    const printed = new PrintedConversation()
    const entry = text('One.\n\nTwo', true) as Entry & { isStreaming: boolean }
    printed.takeFinished([entry])
    entry.isStreaming = false
    expect(shown(printed.takeFinished([entry]))).toEqual(['Two'])
  })

  it('prints a call when it ended, and what came meanwhile before it', () => {
    const printed = new PrintedConversation()
    const call: Entry = {
      ...{ kind: 'tool', at: 1, id: 'c', name: 'bash', input: { command: 'ls' }, progress: '' },
      ...{ state: 'running', result: '', endedAt: undefined },
    }
    const note: Entry = { kind: 'note', at: 2, text: 'a note' }
    expect(shown(printed.takeFinished([call, note]))).toEqual(['· a note'])
    expect(printed.openLines([call, note], 13, 80).map(({ bare }) => bare)).toEqual([
      expect.stringMatching(/^◌ bash ls +12s$/),
    ])
    Object.assign(call, { state: 'done', result: 'a.txt', endedAt: 3 })
    expect(shown(printed.takeFinished([call, note]))).toEqual([expect.stringMatching(/^⏺ bash ls/), '  ⎿ a.txt'])
  })

  it('shows the changed lines of a file with their counts', () => {
    const printed = new PrintedConversation()
    const call: Entry = {
      ...{ kind: 'tool', at: 1, id: 'c', name: 'edit_file', progress: '', state: 'done', result: 'ok', endedAt: 2 },
      input: { path: 'a.ts', old_text: 'a\nb\nc\n', new_text: 'a\nB\nc\n' },
    }
    const [title, ...lines] = shown(printed.takeFinished([call]))
    expect(title).toMatch(/^⏺ edit_file a\.ts {2}\+1 −1 /)
    expect(lines).toEqual(['    a', '  - b', '  + B', '    c'])
  })

  it('shows a prompt without the mail that came with it', () => {
    const printed = new PrintedConversation()
    const input: Entry = { kind: 'input', at: 1, text: 'go on\n<message from="bob" type="message">\nhi\n</message>' }
    expect(shown(printed.takeFinished([input]))).toEqual(['> go on'])
  })

  it('shows what the user typed as a prompt, and notices of the runtime as notes', () => {
    const input = (text: string, typed: string | null): Entry => ({ kind: 'input', at: 1, text, typed })
    const entries = [
      input('look at a.png\n[image a.png 3 KB]', 'look at a.png'),
      input('Review src in all details.', '/review src'),
      input('Job 1 ended.', null),
      input('<message from="bob">\nmy own words\n</message>', '<message from="bob">\nmy own words\n</message>'),
    ]
    expect(shown(new PrintedConversation().takeFinished(entries))).toEqual([
      ...['> look at a.png', '· [image a.png 3 KB]', '> /review src', '· Job 1 ended.'],
      ...['> <message from="bob">', '  my own words', '  </message>'],
    ])
  })
})
