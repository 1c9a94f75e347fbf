import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { manualClock } from '../../testing/manual-clock.ts'
import { fakeSessionControl } from '../../testing/terminal/fake-session-control.ts'
import { hostileTexts } from '../../testing/terminal/hostile-texts.ts'
import { created, joined, mail, stopped } from '../../testing/terminal/team-events.ts'
import { runTerminal } from '../run-terminal.ts'

async function openPlain(env: NodeJS.ProcessEnv = { TERM: 'dumb' }, isScreenReader = false) {
  const clock = manualClock()
  const control = fakeSessionControl(() => clock.now())
  const [input, output] = [new PassThrough(), new PassThrough()]
  let text = ''
  output.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  const exit = runTerminal({
    ...{ control, clock, commandFolders: [], isScreenReader, streams: { input, output, columns: 80 } },
    knowledge: {
      ...{
        project: 'shop',
        root: '/shop',
        version: '0.1.0',
        cwd: '/nowhere',
        env,
        budget: null,
        skills: [],
        agentTypes: [],
      },
      sessions: async () => [],
      isAttached: false,
      resumeCommand: () => 'deskmates -r s1',
    },
  })
  const shows = async (expected: string) => {
    while (!text.includes(expected)) await new Promise((resolve) => setImmediate(resolve))
    return text
  }
  control.record(created, joined('lead', 'lead'), joined('alice', 'coder'))
  return { control, exit, shows, type: (line: string) => input.write(`${line}\n`), input, text: () => text }
}

describe('plain lines', () => {
  it.for([
    ['a dumb terminal', { TERM: 'dumb' }, false],
    ['a screen reader', { TERM: 'xterm' }, true],
  ] as const)('are written for %s without an escape sequence', async ([, env, isScreenReader]) => {
    const { control, shows, type, exit, text } = await openPlain(env, isScreenReader)
    control.delta('lead', 'First para')
    control.delta('lead', 'graph.\n\nSecond')
    await shows('First paragraph.')
    control.says('lead', { type: 'text', text: 'First paragraph.\n\nSecond **bold**.' })
    control.record(mail('m1', 'alice', 'lead', 'The form is done.'))
    await shows('✉ alice → lead')
    control.record(stopped('alice'))
    await shows('[all teammates shut down]')
    type('exit')
    expect(await exit).toEqual({ next: 'quit' })
    expect(await shows('Continue with: deskmates -r s1')).toContain('Second bold.')
    expect(text().split('First paragraph.')).toHaveLength(2)
    expect(text()).not.toContain('\x1b')
  })

  it('name no key for calls and changes, which cannot be opened there', async () => {
    const { control, shows } = await openPlain()
    const content = Array.from({ length: 40 }, (_, i) => `row ${i}`).join('\n')
    for (const [id, name, input] of [
      ['c1', 'bash', { command: 'ls' }],
      ['c2', 'write_file', { path: 'a.txt', content }],
    ] as const) {
      control.says('lead', { type: 'tool_use', id, name, input })
      control.result('lead', id, 'done')
    }
    await shows('more lines')
    expect(await shows('bash ls')).not.toContain('^O')
  })

  it('show a question in full and take the answer as a command', async () => {
    const { control, shows, type, text } = await openPlain()
    control.record({
      ...{ type: 'request.opened', id: 'r1', kind: 'permission', from: 'alice', fromGeneration: 1, to: 'user' },
      ...{ toGeneration: 0, content: 'run npm publish', assignment: null, deadline: null },
    })
    control.question('q1', 'alice', {
      ...{ kind: 'permission', tool: 'bash', input: {}, why: 'no rule allows it', rules: ['bash(npm publish:*)'] },
      action: { kind: 'run', tool: 'bash', command: 'npm publish\nrm -rf dist' },
    })
    await shows('  rm -rf dist')
    await shows('Answer with: /approve alice · /approve alice always · /approve alice save · /reject')
    expect(text().split('Needs you:'), 'it is announced once').toHaveLength(2)
    type('/approve alice')
    while (control.calls.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(control.calls).toEqual([['answer', 'q1', { allowed: true }]])
  })

  it('leave at the end of the input, and hold no control character of others', async () => {
    const { control, shows, input, exit, text } = await openPlain()
    for (const hostile of hostileTexts) control.says('lead', { type: 'text', text: hostile })
    control.line('lead', { type: 'deskmates/note', text: 'last note' })
    await shows('last note')
    input.end()
    expect(await exit).toEqual({ next: 'quit' })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds.
    expect(text()).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/)
  }) // A87
})
