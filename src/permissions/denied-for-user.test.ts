import { describe, expect, it } from 'vitest'
import { createPermissions } from './permissions.ts'
import { policyOf } from './rules/policy.ts'

async function denied(rules: Parameters<typeof policyOf>[0], options: object = {}) {
  const permissions = createPermissions({
    policy: { current: policyOf(rules, '/w') },
    sandbox: { state: 'on', mode: 'auto' },
    ...options,
  })
  const call = { toolName: 'bash', toolCallId: '1', input: { command: 'make all' } }
  const action = { kind: 'run', tool: 'bash', command: 'make all' } as const
  const answer = await permissions.check(action, call, new AbortController().signal)
  if (answer.allowed) throw new Error('it was allowed')
  return answer
}

/** Sentences that speak to the agent. */
const FOR_AGENTS = /your report|your lead|do without|report what you need|call again|The user can/

describe('the reason of a denied action, as the user reads it', () => {
  it('says how to allow it, without advice for the agent, where no person can be asked', async () => {
    const { why, forUser } = await denied({ mode: 'default' }, { hasLead: true })
    expect(why).toMatch(FOR_AGENTS)
    expect(forUser).not.toMatch(FOR_AGENTS)
    expect(forUser).toContain("no person could be asked in this run. To allow it: --allowedTools 'bash(make")
  })

  it('names the rule to remove, or the refusal of a hook, without advice for the agent', async () => {
    const ruled = await denied({ mode: 'default', deny: ['bash(make *)'] })
    expect(ruled.why).toMatch(FOR_AGENTS)
    expect(ruled.forUser).not.toMatch(FOR_AGENTS)
    expect(ruled.forUser).toContain('Remove that rule to allow it.')
    const hooked = await denied({ mode: 'bypassPermissions' }, { hooks: async () => ({ refusal: 'format first' }) })
    expect(hooked.why).toMatch(FOR_AGENTS)
    expect(hooked.forUser).toBe('a hook refused it: format first')
  })
})
