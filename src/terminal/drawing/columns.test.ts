import xterm from '@xterm/headless'
import { expect, it } from 'vitest'
import { columnsOf } from './columns.ts'
import { harmlessText } from './drawn.ts'

const BATCH = 20_000

it('counts no character that may be drawn as narrower than xterm counts it', async () => {
  const characters: string[] = []
  // Ideographs of the second and third plane are all alike.
  for (let code = 0x20; code < 0x20100; code++) {
    const character = String.fromCodePoint(code)
    if (/[\p{Cn}\p{Cs}]/u.test(character) || harmlessText(character) !== character) continue
    // Marks and signs of these scripts have no width in terminals of this decade; this xterm knows those of the last one.
    if (/(?=\p{M})[\u0300-\u109f\u20d0-\u20f0]|[\u0600-\u0605\u0890-\u0891\u08e2\u3248-\u324f]/u.test(character))
      continue
    characters.push(character)
  }
  const narrower: string[] = []
  for (let from = 0; from < characters.length; from += BATCH) {
    const batch = characters.slice(from, from + BATCH)
    const terminal = new xterm.Terminal({ cols: 8, rows: 2, scrollback: BATCH, allowProposedApi: true })
    const text = batch.map((character) => `a${character}|`).join('\r\n')
    await new Promise<void>((resolve) => terminal.write(text, resolve))
    batch.forEach((character, i) => {
      const line = terminal.buffer.active.getLine(i)!
      const columns = [1, 2, 3].find((column) => line.getCell(column)!.getChars() === '|')! - 1
      if (columnsOf(`a${character}`) - 1 < columns) narrower.push(character.codePointAt(0)!.toString(16))
    })
    terminal.dispose()
  }
  expect(characters.length).toBeGreaterThan(85_000)
  expect(narrower).toEqual([])
})
