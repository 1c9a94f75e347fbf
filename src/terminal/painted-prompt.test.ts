import { describe, expect, it } from 'vitest'
import { manualClock } from '../testing/manual-clock.ts'
import { fakeSessionControl } from '../testing/terminal/fake-session-control.ts'
import { virtualTerminal } from '../testing/terminal/virtual-terminal.ts'
import { PaintedPrompt } from './painted-prompt.ts'
import { runTerminal } from './run-terminal.ts'

const clock = manualClock(1_800_000_000)

async function painted() {
  const terminal = virtualTerminal()
  const prompt = new PaintedPrompt({ project: 'shop', budget: 5, env: {}, clock, terminal })
  await prompt.paint()
  const shown = async () => (await terminal.screen()).join('\n')
  /** The session that was loaded meanwhile. */
  const open = () => {
    const control = fakeSessionControl(() => clock.now())
    const exit = runTerminal({
      ...{ control, clock, prompt, commandFolders: [] },
      knowledge: {
        ...{ project: 'shop', root: '/shop', version: '0.1.0', cwd: '/nowhere', env: {}, budget: 5 },
        ...{ skills: [], agentTypes: [], sessions: async () => [], isAttached: false },
        resumeCommand: () => 'deskmates -r s1',
      },
    })
    return { control, exit }
  }
  return { terminal, prompt, shown, open }
}

describe('a painted prompt', () => {
  it('shows project, budget and keys, and what is typed', async () => {
    const { terminal, shown } = await painted()
    expect(await shown()).toMatch(/deskmates · shop · no model yet .* 0.00 of 5.00 \$/)
    expect(await shown()).toContain('default mode')
    for (const key of 'fix it') terminal.press(key)
    await expect.poll(shown).toContain('fix it')
  })

  it('becomes the screen of the session without being drawn again', async () => {
    const { terminal, shown, open } = await painted()
    const before = await shown()
    open()
    await expect.poll(() => shown()).toBe(before)
    expect(terminal.written.split('default mode')).toHaveLength(2)
  })

  it('gives the keys that were typed before to the session, in their order', async () => {
    const { terminal, open, shown } = await painted()
    for (const key of ['h', 'e', 'y', '\x7f', 'l', 'l', 'o', '\r', 'a', 'b', '/']) terminal.press(key)
    await expect.poll(shown).toContain('hey')
    const { control } = open()
    await expect.poll(() => control.calls).toContainEqual(['prompt', 'hello'])
    await expect.poll(shown).toContain('ab/')
  })

  it('leaves with a Ctrl-D that was typed before the session was loaded', async () => {
    const { terminal, open } = await painted()
    terminal.press('\x04')
    expect(await open().exit).toEqual({ next: 'quit' })
  })

  it('leaves nothing on the terminal when it is closed, and takes no keys', async () => {
    const { terminal, prompt, shown } = await painted()
    terminal.press('x')
    await expect.poll(shown).toContain('x')
    prompt.close()
    terminal.write('deskmates: The settings are wrong.')
    expect((await shown()).trim()).toBe('deskmates: The settings are wrong.')
    expect(prompt.isWaiting).toBe(false)
    expect(terminal.written.lastIndexOf('\x1b[?7h')).toBeGreaterThan(terminal.written.lastIndexOf('\x1b[?7l'))
  })

  it('stays as it is when it is closed after the session took it', async () => {
    const { prompt, open, shown } = await painted()
    open()
    prompt.close()
    expect(await shown()).toContain('default mode')
  })
})
