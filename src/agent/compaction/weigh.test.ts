import { describe, expect, it } from 'vitest'
import type { Turn } from '../../models/model.ts'
import { weigh } from './weigh.ts'

const said = (text: string): Turn => ({ role: 'user', content: [{ type: 'text', text }] })
const preface = { system: 'You lead.', tools: [] }
const garden = 'a garden with roses and a pond '.repeat(100)

describe('the weight of a request', () => {
  it('is what the provider counted, plus an estimate of later turns', () => {
    const before = { turns: [said(garden)], counted: { tokens: 5000, turns: 1 } }
    expect(weigh(before, preface)).toBe(5000)
    const after = weigh({ ...before, turns: [...before.turns, said(garden)] }, preface)
    // About a token for every four characters, as texts in English have.
    expect(after - 5000).toBeGreaterThan(garden.length / 8)
    expect(after - 5000).toBeLessThan(garden.length / 2)
  }) // A28

  it('is estimated as a whole, with system prompt and tools, when the provider counted nothing', () => {
    const turns = [said(garden)]
    const alone = weigh({ turns, counted: undefined }, preface)
    const withTools = weigh({ turns, counted: undefined }, { ...preface, tools: [{ description: garden }] })
    expect(withTools).toBeGreaterThan(alone + garden.length / 8)
  }) // A28
})
