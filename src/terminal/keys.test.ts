import { describe, expect, it } from 'vitest'
import { openScreen } from '../testing/terminal/screen-harness.ts'

describe('keys of the terminal', () => {
  it('quit with Ctrl+C twice and say how to continue', async () => {
    const { type, shows, exit, terminal } = await openScreen()
    type('<ctrl+c>')
    await shows('Press Ctrl+C again to leave.')
    type('<ctrl+c>')
    expect(await exit).toEqual({ next: 'quit' })
    const left = (await terminal.screen()).filter((line) => line !== '')
    expect(left).toEqual(['Continue with: deskmates -r s1'])
  })

  it('do not quit with Ctrl+C once, nor with two that are far apart', async () => {
    const { type, shows, clock, control } = await openScreen()
    type('draft<ctrl+c>')
    await shows(/^ *$/m)
    clock.advance(10)
    type('<ctrl+c>')
    clock.advance(10)
    type('<ctrl+c>still here')
    await shows('still here')
    expect(control.calls).toEqual([])
  })

  it.for(['<ctrl+d>', 'exit<enter>', 'quit<enter>', 'q<enter>', '/quit<enter>'])('leave with %s', async (keys) => {
    const { type, exit } = await openScreen()
    type(keys)
    expect(await exit).toEqual({ next: 'quit' })
  }) // A87, B16

  it('do nothing with an empty line', async () => {
    const { type, shows, control } = await openScreen()
    type('<enter><enter>   <enter>still here')
    await shows('still here')
    expect(control.calls).toEqual([])
  })

  it('interrupt the lead with Esc while it works, and only then', async () => {
    const { type, shows, control, called } = await openScreen()
    type('<escape>')
    control.run('working')
    await shows('working')
    type('<escape>')
    await called('interrupt', 'lead')
    expect(control.calls).toEqual([['interrupt', 'lead']])
  })

  it('take the next mode with Shift+Tab and never reach bypassPermissions', async () => {
    const { type, shows, control, called } = await openScreen()
    const seen = new Set<string>()
    for (const mode of ['acceptEdits', 'plan', 'default', 'acceptEdits'] as const) {
      type('<shift+tab>')
      await called('setMode', mode)
      control.line('lead', { type: 'deskmates/mode', mode })
      await shows(`${mode} mode`)
      seen.add(mode)
    }
    expect(control.calls.map(([, mode]) => mode)).not.toContain('bypassPermissions')
  })

  it('bring earlier prompts back and edit several lines', async () => {
    const { type, called, shows } = await openScreen()
    type('first<enter>')
    await called('prompt', 'first')
    type('two<alt+enter>lines<enter>')
    await called('prompt', 'two\nlines')
    type('<up>')
    await shows(/^two/m, /^lines/m)
    type('<up><up><enter>')
    await called('prompt', 'first')
  })

  it('bring prompts of the session back that is continued, without mail and escape sequences', async () => {
    const { type, shows, terminal } = await openScreen({
      prepare(control) {
        control.typed('lead', 'an old prompt')
        control.input('lead', '<message from="bob" type="message">\nmail\n</message>')
        control.typed('lead', 'the last \x1b[2J\u202eprompt')
      },
    })
    await shows('> the last')
    type('<up>')
    await shows(/^the last .*prompt/m)
    type('<up><up>')
    await shows(/^an old prompt/m)
    expect(terminal.written).not.toContain('\u202e')
  })

  it('keep a long paste as one chip and send all of it', async () => {
    const { terminal, type, called, shows } = await openScreen()
    const text = Array.from({ length: 30 }, (_, i) => `line ${i}`).join('\n')
    terminal.press(`\x1b[200~${text}\x1b[201~`)
    await shows('[paste #1 +30 lines]')
    type('<enter>')
    await called('prompt', text)
  })

  it('take escape sequences and marks of direction out of a paste', async () => {
    const { terminal, type, called } = await openScreen()
    terminal.press('\x1b[200~safe\u202e\u009b31mred\x1b[201~')
    type('<enter>')
    await called('prompt', 'safe\ufffd\ufffd31mred')
  })

  it('show a queued prompt until the lead reads it', async () => {
    const { control, type, shows, hides } = await openScreen()
    control.run('working')
    control.prompt = async () => 'queued'
    type('and then the docs<enter>')
    await shows('queued: and then the docs')
    control.notice('lead', 'The user also wants and then the docs.')
    control.typed('lead', 'and then the docs')
    await hides('queued:')
    await shows('> and then the docs')
  })

  it('are not waited for any more when the session is gone', async () => {
    const { control, exit, terminal } = await openScreen()
    control.end('The session ended.')
    expect(await exit).toEqual({ next: 'quit' })
    expect((await terminal.screen()).join('\n')).toContain('· The session ended.')
  })

  it('say why something was not done', async () => {
    const { control, type, shows } = await openScreen()
    control.refuse('prompt', 'The budget is used up. Raise it with --budget.')
    type('go on<enter>')
    await shows('The budget is used up.')
  })
})
