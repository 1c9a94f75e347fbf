import { describe, expect, it } from 'vitest'
import { manualClock } from '../../testing/manual-clock.ts'
import { createAccountQueue } from './account-queue.ts'

describe('the queue of an account', () => {
  /** One call at a time: the first is running, the others wait. */
  function oneAtATime() {
    const queue = createAccountQueue(manualClock(), () => new Promise(() => {}))
    const first = queue.enqueue('first')
    const admission = queue.admission()
    admission.refused(0)
    const [second, third] = [queue.enqueue('second'), queue.enqueue('third')]
    expect([first, second, third].map(({ isAdmitted }) => isAdmitted)).toEqual([true, false, false])
    return { admission, second, third }
  }

  it('admits the next call when an admitted one is cancelled before it was made', () => {
    const { admission, second, third } = oneAtATime()
    admission.release()
    expect([second.isAdmitted, third.isAdmitted]).toEqual([true, false])
    second.cancel()
    expect(third.isAdmitted).toBe(true)
  })

  it('admits no call in place of a waiting one that is cancelled', () => {
    const { second, third } = oneAtATime()
    second.cancel()
    expect(third.isAdmitted).toBe(false)
  })
})
