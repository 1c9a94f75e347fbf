import { describe, expect, it } from 'vitest'
import { denialForUser } from './denial-text.ts'
import { createPermissions } from './permissions.ts'
import { policyOf } from './rules/policy.ts'

async function reasonFor(rules: Parameters<typeof policyOf>[0], options: object = {}): Promise<string> {
  const permissions = createPermissions({
    policy: { current: policyOf(rules, '/w') },
    sandbox: { state: 'on', mode: 'auto' },
    ...options,
  })
  const call = { toolName: 'bash', toolCallId: '1', input: { command: 'make all' } }
  const action = { kind: 'run', tool: 'bash', command: 'make all' } as const
  const answer = await permissions.check(action, call, new AbortController().signal)
  return answer.allowed ? '' : answer.why
}

/** Sentences that speak to the agent. */
const FOR_AGENTS = /your report|your lead|do without|report what you need|call again|The user can/

describe('the reason of a denied action, as the user reads it', () => {
  it('says how to allow it, without advice for the agent, where no person can be asked', async () => {
    const why = await reasonFor({ mode: 'default' }, { hasLead: true })
    expect(why).toMatch(FOR_AGENTS)
    expect(denialForUser(why)).not.toMatch(FOR_AGENTS)
    expect(denialForUser(why)).toContain("no person could be asked in this run. To allow it: --allowedTools 'bash(make")
  })

  it('names the rule to remove, or the refusal of a hook, without advice for the agent', async () => {
    const ruled = await reasonFor({ mode: 'default', deny: ['bash(make *)'] })
    expect(ruled).toMatch(FOR_AGENTS)
    expect(denialForUser(ruled)).not.toMatch(FOR_AGENTS)
    expect(denialForUser(ruled)).toContain('Remove that rule to allow it.')
    const hooked = await reasonFor({ mode: 'bypassPermissions' }, { hooks: async () => ({ refusal: 'format first' }) })
    expect(hooked).toMatch(FOR_AGENTS)
    expect(denialForUser(hooked)).toBe('a hook refused it: format first')
  })
})
