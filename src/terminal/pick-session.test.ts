import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { virtualTerminal } from '../testing/terminal/virtual-terminal.ts'
import { pickSession } from './pick-session.ts'

const sessions = Array.from({ length: 40 }, (_, i) => ({
  ...{ id: `s${i}`, at: 1_800_000_000, firstPrompt: `Prompt ${i}`, members: ['alice'], unread: i, isRunning: i === 3 },
}))

function openPicker() {
  const terminal = virtualTerminal(80, 12)
  const chosen = pickSession({ sessions, env: {}, terminal })
  const shows = async (text: RegExp) => {
    for (let tries = 0; tries < 10_000; tries++) {
      const screen = (await terminal.screen()).join('\n')
      if (text.test(screen)) return screen
      await new Promise((resolve) => setImmediate(resolve))
    }
    throw new Error(`${text} is not on the screen:\n${(await terminal.screen()).join('\n')}`)
  }
  return { terminal, chosen, shows }
}

describe('the picker of -r', () => {
  it('shows date, first prompt, members and unread mail, keeps the selected one in sight, and takes Enter', async () => {
    const { terminal, chosen, shows } = openPicker()
    await shows(/^› Prompt 0$/m)
    await shows(/^ {4}2027-01-1\d \d\d:\d\d · alice · 1 unread$/m)
    for (let i = 0; i < 30; i++) terminal.press('\x1b[B')
    await shows(/^› Prompt 30$/m)
    terminal.press('\r')
    expect(await chosen).toBe('s30')
    expect((await terminal.screen()).join('')).toBe('')
  })

  it.for(['\x1b', '\x03', '\x04'])('chooses none with the key %j', async (key) => {
    const { terminal, chosen, shows } = openPicker()
    await shows(/Prompt 0/)
    terminal.press(key)
    expect(await chosen).toBeUndefined()
  })

  it('does not choose a session that another process runs', async () => {
    const { terminal, chosen, shows } = openPicker()
    for (const key of ['P', '3', '\x7f', '\x7f', '\x1b[B', '\x1b[B', '\x1b[B', '\r']) terminal.press(key)
    await shows(/It runs in another process: deskmates attach s3/)
    terminal.press('\x1b')
    expect(await chosen).toBeUndefined()
  })

  it('is a list of ids on a terminal that cannot draw, and takes a typed one', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const streams = { input, output, columns: 80 }
    const chosen = pickSession({ sessions: sessions.slice(0, 4), env: { TERM: 'dumb' }, streams })
    input.write('s99\ns3\nS2\n')
    expect(await chosen).toBe('s2')
    const written = String(output.read())
    expect(written).toContain('s2  Prompt 2\n')
    expect(written).toContain('There is no session s99.')
    expect(written).toContain('It runs in another process: deskmates attach s3')
    expect(written).not.toContain('\x1b')
  })
})
