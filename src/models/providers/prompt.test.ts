import { describe, expect, it } from 'vitest'
import type { ModelRequest, Turn } from '../model.ts'
import { promptOf } from './prompt.ts'

const turns: Turn[] = [
  {
    role: 'user',
    content: [{ type: 'text', text: 'Go.' }],
    providerOptions: { anthropic: { own: true }, openai: { own: true } },
  },
]
const request = { system: 'Be brief.', turns } as unknown as ModelRequest

describe('the prompt for a provider', () => {
  it('keeps the options of a turn beside the breakpoint, and the turn itself as it is', () => {
    const [, turn] = promptOf(request, { version: 'v3', hasBreakpoints: true })
    expect(turn?.providerOptions).toEqual({
      anthropic: { own: true, cacheControl: { type: 'ephemeral' } },
      openai: { own: true },
    })
    expect(turns[0]?.providerOptions).toEqual({ anthropic: { own: true }, openai: { own: true } })
  })

  it('has no breakpoint for a provider that caches by itself', () => {
    const prompt = promptOf(request, { version: 'v3', hasBreakpoints: false })
    expect(JSON.stringify(prompt)).not.toContain('cacheControl')
  })
})
