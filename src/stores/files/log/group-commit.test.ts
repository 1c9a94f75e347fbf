import { describe, expect, it } from 'vitest'
import { createGroupCommit } from './group-commit.ts'

/** Syncs that the test ends; `begun` has those that have begun. */
function commits() {
  const begun: { end(): void; fail(): void }[] = []
  const group = createGroupCommit(
    () => new Promise((resolve, reject) => begun.push({ end: resolve, fail: () => reject(new Error('EIO')) })),
  )
  return { ...group, begun }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('a group commit', () => {
  it('is one sync for all that is written in the same turn of the event loop', async () => {
    const { commit, begun } = commits()
    const first = commit()
    for (let i = 0; i < 10; i++) await Promise.resolve()
    const second = commit()
    await turn()
    expect(begun).toHaveLength(1)
    begun[0]!.end()
    await Promise.all([first, second])
  })

  it('is another sync for what is written while one runs, also if that one fails', async () => {
    const { commit, begun } = commits()
    const first = commit()
    await turn()
    const later = [commit(), commit()]
    begun[0]!.fail()
    await expect(first).rejects.toThrow('EIO')
    await turn()
    expect(begun).toHaveLength(2)
    begun[1]!.end()
    await Promise.all(later)
  })

  it('has settled when the sync that waits has ended too', async () => {
    const { commit, settled, begun } = commits()
    void commit()
    await turn()
    void commit()
    let hasSettled = false
    const end = settled().then(() => {
      hasSettled = true
    })
    begun[0]!.end()
    await turn()
    await turn()
    expect([begun.length, hasSettled]).toEqual([2, false])
    begun[1]!.end()
    await end
  })
})
