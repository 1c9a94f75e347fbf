import { describe, expect, it } from 'vitest'
import { createAdaptiveSync } from './adaptive-sync.ts'

describe('an adaptive sync', () => {
  function disk(...milliseconds: number[]) {
    let time = 0
    const calls: string[] = []
    const sync = createAdaptiveSync(
      () => time,
      () => {
        calls.push('waited for')
        time += milliseconds.shift() ?? 0.1
      },
      async () => void calls.push('handed over'),
    )
    return { sync, calls }
  }

  /** One sync in a turn of the event loop of its own. */
  async function turn(sync: (fd: number) => Promise<void>) {
    await new Promise((resolve) => setImmediate(resolve))
    await sync(3)
  }

  it('blocks while the disk is fast', async () => {
    const { sync, calls } = disk(0.1, 0.9, 0.1)
    for (let i = 0; i < 3; i++) await turn(sync)
    expect(calls).toEqual(['waited for', 'waited for', 'waited for'])
  })

  it('uses a thread more and more often while the disk is slow', async () => {
    const { sync, calls } = disk(...Array(30).fill(1.1))
    for (let i = 0; i < 1000; i++) await turn(sync)
    const waits = calls.flatMap((call, at) => (call === 'waited for' ? [at] : []))
    expect(waits.slice(0, 5)).toEqual([0, 9, 26, 59, 124])
    expect(calls.slice(-130).filter((call) => call === 'waited for')).toHaveLength(2)
  })

  it('blocks again when the disk has become fast, and soon uses a thread when it is slow again', async () => {
    const { sync, calls } = disk(12, 12, 0.1, 0.1, 12)
    for (let i = 0; i < 40; i++) await turn(sync)
    const waits = calls.flatMap((call, at) => (call === 'waited for' ? [at] : []))
    expect(waits).toEqual([0, 9, 26, 27, 28, 37, 38, 39])
  })

  it('blocks for the first file of a turn and uses threads for the others', async () => {
    const { sync, calls } = disk()
    await Promise.all([sync(3), sync(4), sync(5)])
    await turn(sync)
    expect(calls).toEqual(['waited for', 'handed over', 'handed over', 'waited for'])
  })

  it('blocks for each of many files while the disk is fast', async () => {
    const { sync, calls } = disk()
    for (let file = 3; file < 103; file++) {
      await new Promise((resolve) => setImmediate(resolve))
      await sync(file)
    }
    expect(new Set(calls)).toEqual(new Set(['waited for']))
  })

  it('fails when the disk fails', async () => {
    const broken = createAdaptiveSync(undefined, () => {
      throw new Error('EIO')
    })
    await expect(broken(3)).rejects.toThrow('EIO')
  })
})
