import { describe, expect, it } from 'vitest'
import { manualClock } from '../testing/manual-clock.ts'
import { createLane } from './lane.ts'

describe('a lane of calls', () => {
  /** One call at a time, which is under way; others wait behind it. */
  function narrow() {
    const lane = createLane(manualClock(), () => new Promise(() => {}))
    const first = lane.enter('first')
    const admission = lane.admission()
    admission.refused(0)
    const [second, third] = [lane.enter('second'), lane.enter('third')]
    expect([first, second, third].map(({ isAdmitted }) => isAdmitted)).toEqual([true, false, false])
    return { admission, second, third }
  }

  it('lets the next call go when an admitted one gives up before it was made', () => {
    const { admission, second, third } = narrow()
    admission.leave()
    expect([second.isAdmitted, third.isAdmitted]).toEqual([true, false])
    second.giveUp()
    expect(third.isAdmitted).toBe(true)
  })

  it('takes no place from a call under way when a waiting one gives up', () => {
    const { second, third } = narrow()
    second.giveUp()
    expect(third.isAdmitted).toBe(false)
  })
})
