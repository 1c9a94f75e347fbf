import { describe, expect, it } from 'vitest'
import { openScreen } from '../testing/terminal/screen-harness.ts'

describe('the conversation with the lead', () => {
  it('streams an answer above the editor and keeps it once when it is whole', async () => {
    const { control, type, called, shows, terminal } = await openScreen()
    type('move the app<enter>')
    await called('prompt', 'move the app')
    control.run('working')
    control.input('lead', 'move the app')
    control.delta('lead', 'I made **four** tasks')
    await shows('> move the app', 'I made four tasks', 'working')
    control.says('lead', { type: 'text', text: 'I made **four** tasks.\n\nDone.' })
    control.run('settled')
    await shows('I made four tasks.', 'Done.')
    const all = (await terminal.everything()).join('\n')
    expect(all.match(/I made four/g)).toHaveLength(1)
  })
})
