import { describe, expect, it } from 'vitest'
import { describeServer } from './describe-server.ts'

const shown = (args: string[]) => describeServer({ entry: { command: 'sh', args }, isProject: true }).runs

describe('what a person reads before a server is approved', () => {
  it('shows where lines end, since that may end a comment', () => {
    expect(shown(['-c', 'good # nothing\nbad\r\nworse'])).toBe("sh -c 'good # nothing\\nbad\\nworse'")
  })

  it('says how much is left out of a long command', () => {
    expect(shown(['-c', `${'x'.repeat(3000)}; bad`])).toMatch(/x… \(1013 more characters, not shown\)$/)
  })

  it('shows no password of an address', () => {
    const entry = { url: 'https://ada:hunter2@mcp.example.com/mcp' }
    expect(describeServer({ entry, isProject: true }).runs).toBe('https://(hidden)@mcp.example.com/mcp')
  })
})
