import { expect, it } from 'vitest'
import { virtualTerminal } from '../../testing/terminal/virtual-terminal.ts'
import { draw } from './drawn.ts'
import { type Block, ScrollbackTui } from './scrollback-tui.ts'

it('a view over the whole screen leaves what was on it as it was, output of the shell too', async () => {
  const terminal = virtualTerminal(40, 6)
  terminal.write('$ ls\r\nREADME.md\r\n')
  let live = 'prompt'
  let isCovered = false
  const finished: Block[] = []
  const tui = new ScrollbackTui(
    terminal,
    () => ({ finished: isCovered ? [] : finished.splice(0), live: [draw`${live}`], coversScreen: isCovered }),
    true,
  )
  const shows = (lines: readonly string[]) =>
    expect.poll(async () => (await terminal.everything()).filter((line) => line !== '')).toEqual(lines)
  finished.push({ lines: () => [draw`hello`] })
  tui.start()
  await shows(['$ ls', 'README.md', 'hello', 'prompt'])
  isCovered = true
  live = 'help'
  tui.cover()
  await shows(['help'])
  finished.push({ lines: () => [draw`mail came`] })
  isCovered = false
  live = 'prompt again'
  tui.uncover()
  await shows(['$ ls', 'README.md', 'hello', 'mail came', 'prompt again'])
  isCovered = true
  tui.cover()
  tui.stop()
  await shows(['$ ls', 'README.md', 'hello', 'mail came', 'prompt again'])
})
