import { expect, it } from 'vitest'
import { recordBatches } from './record-batches.ts'

it('splits items in order into batches under 4 MB, and keeps a longer item whole and alone', () => {
  const item = (id: number, size: number) => ({ id, text: 'x'.repeat(size) })
  const million = 1_000_000
  const items = [1, 2, 3, 4, 5].map((id) => item(id, million))
  const long = item(6, 6 * million)
  const batches = [...recordBatches([...items, long, item(7, 1)])]
  expect(batches.map((batch) => batch.map(({ id }) => id))).toEqual([[1, 2, 3, 4], [5], [6], [7]])
  expect(batches.flat()).toEqual([...items, long, item(7, 1)])
  expect([...recordBatches([])]).toEqual([])
})
