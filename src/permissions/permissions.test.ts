import { describe, expect, it } from 'vitest'
import type { SessionSandbox } from '../session/sandbox.ts'
import { createPermissions, narrowForSubagent, type Permissions, policyOf } from './permissions.ts'
import type { Action } from './rules/action.ts'

const run = (command: string): Action => ({ kind: 'run', tool: 'bash', command })

function permits(permissions: Permissions, sandbox: Partial<SessionSandbox> = {}, isSentOut = false) {
  const policy = policyOf(permissions, '/w')
  const given = { state: 'on' as const, mode: 'auto' as const, ...sandbox }
  const made = createPermissions(
    { policy: isSentOut ? narrowForSubagent(policy, true) : policy, sandbox: given },
    isSentOut,
  )
  return (wish: Action) =>
    made.check(wish, { toolCallId: 'a', toolName: wish.tool, input: {} }, new AbortController().signal)
}

describe('the permissions of a run with nobody to ask', () => {
  it('say which rules would allow every part of a line', async () => {
    const mayDo = permits({})
    expect(await mayDo(run('make && npm test | tee log'))).toMatchObject({
      allowed: false,
      why: expect.stringContaining("--allowedTools 'bash(make *),bash(npm *),bash(tee *)'"),
    })
    expect(await mayDo(run('$X'))).toMatchObject({ why: expect.stringContaining('No rule covers this form') })
  })

  it('let an agent that was sent out tell its lead what it needs, and never the user', async () => {
    const mayDo = permits({ mode: 'bypassPermissions' }, {}, true)
    expect(await mayDo(run('make'))).toMatchObject({
      allowed: false,
      why: expect.stringMatching(/^Permission required: say so in your report, so that your lead can ask\./),
    })
    const write: Action = { kind: 'write', tool: 'write_file', path: 'a' }
    expect(await mayDo(write)).toMatchObject({ allowed: false })
    expect(await mayDo({ kind: 'read', tool: 'read_file', path: 'a' })).toEqual({ allowed: true })
  }) // B70
})

describe('where nothing keeps commands in', () => {
  const missing = { state: 'missing' as const, why: { cause: 'bwrap is not there', remedy: 'Install it' } }

  it('they run only with permission', async () => {
    const sandbox = missing
    expect(await permits({ allow: ['bash(make *)'] }, sandbox)(run('make'))).toEqual({ allowed: true })
    expect(await permits({ mode: 'bypassPermissions' }, sandbox)(run('make'))).toEqual({ allowed: true })
    for (const mode of ['default', 'acceptEdits', 'plan', 'dontAsk'] as const)
      expect(await permits({ mode }, sandbox)(run('make'))).toMatchObject({ allowed: false })
  })

  it('they do not run at all where that is required, with the cause and the remedy', async () => {
    const mayDo = permits({ mode: 'bypassPermissions' }, { ...missing, mode: 'require' })
    const why = expect.stringContaining('bwrap is not there. Install it.')
    expect(await mayDo(run('ls'))).toEqual({ allowed: false, why })
    expect(await mayDo({ kind: 'write', tool: 'write_file', path: 'a' })).toEqual({ allowed: true })
  })

  it('they do not run where a rule denies the network, which nobody could keep from them', async () => {
    const denied = { mode: 'bypassPermissions' as const, deny: ['network'] }
    expect(await permits(denied, missing)(run('ls'))).toMatchObject({ allowed: false })
    expect(await permits(denied)(run('ls'))).toEqual({ allowed: true })
  })
})
