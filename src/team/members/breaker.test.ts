import { describe, expect, it } from 'vitest'
import { admit, alive, Breaker, CLOSED, failsRepeatedly, lost, settled, worked } from './breaker.ts'

const opened = lost(lost(CLOSED, 'ada', 1000), 'bob', 1299)

describe('the circuit breaker', () => {
  it('opens when a second agent is lost within five minutes, not when the first loss is older', () => {
    expect(opened).toMatchObject({ state: 'open', openedAt: 1299 })
    expect(lost(lost(CLOSED, 'ada', 1000), 'bob', 1300).state).toBe('closed')
    expect(admit(opened, 'ada', 1300).isAdmitted).toBe(false)
  }) // C68

  it('stays closed when one agent is lost repeatedly, and says that this agent fails repeatedly', () => {
    const again = lost(lost(lost(CLOSED, 'ada', 1000), 'Ada', 1001), 'ada', 1002)
    expect(again.state).toBe('closed')
    expect(failsRepeatedly(again, 'ada', 1003)).toBe(true)
    expect(failsRepeatedly(lost(CLOSED, 'ada', 1000), 'ada', 1001)).toBe(false)
    expect(failsRepeatedly(again, 'bob', 1003)).toBe(false)
    expect(failsRepeatedly(again, 'ada', 1121)).toBe(true)
    expect(failsRepeatedly(again, 'ada', 1122)).toBe(false)
    expect(lost(again, 'bob', 1003).state).toBe('open')
  }) // C68, T34

  it('reads losses of which an older version kept only the time', () => {
    const old = Breaker.parse({ ...CLOSED, losses: [1000] })
    expect(lost(old, 'ada', 1001).losses).toEqual([1000, { name: 'ada', at: 1001 }])
    expect(lost(old, 'ada', 1400).losses).toEqual([{ name: 'ada', at: 1400 }])
  }) // T34

  it('admits one agent after two minutes, not sooner, and no other beside it', () => {
    expect(admit(opened, 'ada', 1299 + 119)).toMatchObject({ isAdmitted: false, breaker: { state: 'open' } })
    const tried = admit(opened, 'ada', 1299 + 120)
    expect(tried).toMatchObject({ isAdmitted: true, breaker: { state: 'half-open', probe: { name: 'ada' } } })
    expect(admit(tried.breaker, 'bob', 1299 + 121).isAdmitted).toBe(false)
  }) // C68

  it('closes when the admitted agent works, and reopens when it is lost or silent for a minute', () => {
    const { breaker } = admit(opened, 'ada', 2000)
    expect(worked(breaker, 'bob').state).toBe('half-open')
    expect(worked(breaker, 'ada')).toEqual(CLOSED)
    expect(lost({ ...breaker, losses: [] }, 'ada', 2010)).toMatchObject({ state: 'open', openedAt: 2010 })
    expect(settled(breaker, 2059).state).toBe('half-open')
    expect(settled(breaker, 2060)).toMatchObject({ state: 'open', openedAt: 2060 })
  }) // C68, F49

  it('gives the admitted agent its minute again while its model sends an answer', () => {
    const { breaker } = admit(opened, 'ada', 2000)
    expect(alive(breaker, 'ada', 2029), 'recorded at most twice a minute').toBe(breaker)
    const answering = alive(breaker, 'ada', 2050)
    expect(settled(answering, 2109).state).toBe('half-open')
    expect(settled(answering, 2110).state).toBe('open')
    expect(alive(breaker, 'bob', 2050)).toBe(breaker)
    expect(alive(opened, 'ada', 2050)).toBe(opened)
  }) // C68, F46
})
