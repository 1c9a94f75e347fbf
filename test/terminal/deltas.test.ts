import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('draws 60,000 streamed deltas in constant memory and without writing text again and again', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    '.build/test/terminal-deltas.js',
    '60000',
  ])
  const { heapAtTenth, heapAtEnd, bytes, textBytes } = JSON.parse(stdout)
  expect(textBytes).toBe(180_000)
  expect(heapAtEnd / heapAtTenth).toBeLessThanOrEqual(1.2)
  expect(bytes / textBytes).toBeLessThanOrEqual(3)
  expect(bytes).toBeGreaterThan(textBytes)
})
