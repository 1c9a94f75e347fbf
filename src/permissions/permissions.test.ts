import { describe, expect, it } from 'vitest'
import { teamHarness } from '../testing/harnesses/team-harness.ts'
import type { Action, Permission } from './permission.ts'
import { closedChangeGate, createPermissions, type PermissionsOptions } from './permissions.ts'
import { parseRules } from './rules/parse-rule.ts'
import { type PermissionSettings, policyOf } from './rules/policy.ts'

const run = (command: string): Action => ({ kind: 'run', tool: 'bash', command })
const write: Action = { kind: 'write', tool: 'write_file', path: 'a' }
const read: Action = { kind: 'read', tool: 'read_file', path: 'a' }

/** The check of one agent, as a function of the action alone. */
function checkOf(settings: PermissionSettings, options: Partial<PermissionsOptions> = {}) {
  const sandbox = { state: 'on', mode: 'auto' }
  const { check } = createPermissions({ policy: { current: policyOf(settings, '/w') }, sandbox, ...options })
  return (action: Action): Promise<Permission> =>
    check(action, { toolCallId: 'a', toolName: action.tool, input: {} }, new AbortController().signal)
}

/** Every step of the chain that was taken, in order; each step lets the action pass unless it is said otherwise. */
function steps(settings: PermissionSettings, refusing: { gate?: string; hook?: string; hookAsks?: string } = {}) {
  const taken: string[] = []
  const check = checkOf(settings, {
    changeGate() {
      taken.push('plan gate')
      return refusing.gate
    },
    async hooks() {
      taken.push('hooks')
      return { refusal: refusing.hook, ask: refusing.hookAsks }
    },
    person: {
      async ask({ why }) {
        taken.push(`person: ${why}`)
        return { allowed: true }
      },
    },
  })
  return async (action: Action) => ({ permission: await check(action), taken })
}

describe('the permission check', () => {
  it('takes its steps in order: deny rules, plan gate, allow rules, hooks, person', async () => {
    expect(await steps({ deny: ['bash(make *)'] })(run('make'))).toMatchObject({
      permission: { allowed: false, why: expect.stringContaining('the rule bash(make *) denies it. Only the user') },
      taken: [],
    })
    expect(await steps({ allow: ['bash(make *)'] }, { gate: 'No plan yet.' })(run('make'))).toEqual({
      permission: { allowed: false, why: 'No plan yet.', isTemporary: true },
      taken: ['plan gate'],
    })
    expect(await steps({ allow: ['bash(make *)'] })(run('make'))).toEqual({
      permission: { allowed: true },
      taken: ['plan gate', 'hooks'],
    })
    expect(await steps({})(run('make'))).toMatchObject({
      permission: { allowed: true },
      taken: ['plan gate', 'hooks', expect.stringMatching(/^person: no rule allows it/)],
    })
  })

  it('asks no person about what a hook refuses, and says what to do next', async () => {
    const { permission, taken } = await steps({}, { hook: 'not on a Friday' })(run('make'))
    expect(taken).toEqual(['plan gate', 'hooks'])
    const why = expect.stringMatching(/^a hook refused it: not on a Friday\nCorrect what it names and call again/)
    expect(permission).toEqual({
      allowed: false,
      byHook: true,
      why,
      forUser: expect.not.stringContaining('call again'),
    })
  })

  it('asks a person about an allowed action when a hook wants that', async () => {
    const { permission, taken } = await steps({ allow: ['bash(make *)'] }, { hookAsks: 'it deploys' })(run('make'))
    expect(permission).toEqual({ allowed: true })
    expect(taken.at(-1)).toBe('person: a hook wants a person to be asked: it deploys')
  })

  it('runs no hook for an action that is denied because no person can be asked', async () => {
    const check = checkOf({}, { hooks: () => Promise.reject(new Error('a hook ran')) })
    expect(await check(run('make'))).toMatchObject({ allowed: false })
  })

  it('asks no person in the mode dontAsk, not even for a hook, and reports no denial to the lead', async () => {
    const reported: string[] = []
    const options: Partial<PermissionsOptions> = {
      hooks: async () => ({ ask: 'it deploys' }),
      person: {
        ask: () => Promise.reject(new Error('a person was asked')),
        async onDenied({ why }) {
          reported.push(why)
        },
      },
    }
    const check = checkOf({ mode: 'dontAsk', allow: ['bash(make *)'] }, options)
    const why = expect.stringContaining('a hook wants a person to be asked (it deploys), and no person can be asked')
    expect(await check(run('make'))).toEqual({ allowed: false, byHook: true, why })
    expect(await check(run('npm test'))).toMatchObject({ allowed: false })
    expect(reported).toEqual([])
  })

  it('neither allows nor asks when the agent was interrupted while a hook ran', async () => {
    const stop = new AbortController()
    const { check } = createPermissions({
      policy: { current: policyOf({ allow: ['bash(make *)'] }, '/w') },
      sandbox: { state: 'on', mode: 'auto' },
      async hooks() {
        stop.abort()
        return {}
      },
      person: { ask: () => Promise.reject(new Error('a person was asked')) },
    })
    const call = { toolCallId: 'a', toolName: 'bash', input: {} }
    for (const command of ['make', 'npm test'])
      await expect(check(run(command), call, stop.signal)).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('lets no hook allow what a rule denies or what no rule allows', async () => {
    const agrees = { hooks: async () => ({}) }
    expect(await checkOf({ mode: 'bypassPermissions', deny: ['bash(make *)'] }, agrees)(run('make'))).toMatchObject({
      allowed: false,
    })
    expect(await checkOf({}, agrees)(run('make'))).toMatchObject({ allowed: false })
  })

  it('lets an agent behind a closed plan gate read', async () => {
    const check = checkOf({ mode: 'bypassPermissions' }, { changeGate: () => 'No plan yet.' })
    expect(await check(read)).toEqual({ allowed: true })
    expect(await check(write)).toMatchObject({ allowed: false, isTemporary: true })
  })

  it('lets an agent that agreed to stop read, and begin nothing new', async () => {
    const { ok, state } = teamHarness()
    ok({ type: 'supervise', runtime: 'here' })
    const { member } = ok({ type: 'member.spawn', name: 'ada', role: 'dev', runtime: 'here' })
    const check = checkOf({ mode: 'bypassPermissions' }, { changeGate: () => closedChangeGate({ state }, 'ada') })
    const { request } = ok({ type: 'request.open', kind: 'shutdown', to: 'ada', content: 'Stop.' }, 'lead')
    expect(await check(write)).toEqual({ allowed: true })
    const by = { name: 'ada', generation: member!.generation }
    ok({ type: 'request.answer', id: request!.id, approve: true }, by)
    for (const action of [write, run('make')])
      expect(await check(action)).toMatchObject({ allowed: false, why: expect.stringContaining('you agreed to stop') })
    expect(await check(read)).toEqual({ allowed: true })
  }) // C25

  it('tells an agent behind a closed plan gate its next step, by the state of its plan', async () => {
    const { ok, state } = teamHarness()
    ok({ type: 'supervise', runtime: 'here' })
    const profile = { agentType: null, model: null, requirePlan: true }
    const { member } = ok({ type: 'member.spawn', name: 'ada', role: 'dev', runtime: 'here', profile })
    const check = checkOf({ mode: 'bypassPermissions' }, { changeGate: () => closedChangeGate({ state }, 'ada') })
    const submit = { type: 'request.open', kind: 'plan_approval', to: 'lead', content: 'I dig.' } as const
    const submitted = () => ok(submit, { name: 'ada', generation: member!.generation }).request!.id

    expect(await check(write)).toMatchObject({
      why: expect.stringContaining('as a message of type plan_approval_request'),
    })
    const first = submitted()
    expect(await check(write)).toMatchObject({ why: expect.stringContaining('end your turn') })
    ok({ type: 'request.answer', id: first, approve: false, feedback: 'Not there.' }, 'lead')
    expect(await check(write)).toMatchObject({ why: expect.stringContaining('rejected. Submit another one') })
    ok({ type: 'request.answer', id: submitted(), approve: true, feedback: 'Go.' }, 'lead')
    expect(await check(write)).toEqual({ allowed: true })
  })

  it('asks a person about a tool without an action when a rule says so', async () => {
    const asked: string[] = []
    const { check } = createPermissions({
      policy: { current: policyOf({ ask: ['SendMessage'] }, '/w') },
      sandbox: { state: 'on', mode: 'auto' },
      person: {
        async ask({ action }) {
          asked.push(`${action.kind} ${action.tool}`)
          return { allowed: true }
        },
      },
    })
    const call = { toolCallId: 'a', toolName: 'SendMessage', input: {} }
    expect(await check(undefined, call, new AbortController().signal)).toEqual({ allowed: true })
    expect(asked).toEqual(['use SendMessage'])
  })

  it('keeps file tools out of the private folders of the user, in any case of letters', () => {
    const sandbox = { state: 'on', mode: 'auto' }
    const { forbids } = createPermissions({
      policy: { current: policyOf({}, '/w') },
      sandbox,
      privateFolders: ['/w/.config/x'],
    })
    expect(forbids('read', '/w/.Config/X/keys.json')).toBe(true)
    expect(forbids('write', '/w/.config/xy')).toBe(false)
  })
})

describe('a refusal where no person can be asked', () => {
  it('says which rules would allow every part of a line', async () => {
    const check = checkOf({})
    expect(await check(run('make && npm test | tee log'))).toMatchObject({
      allowed: false,
      why: expect.stringContaining("--allowedTools 'bash(make *),bash(npm *),bash(tee *)'"),
    })
    expect(await check(run('$X'))).toMatchObject({ why: expect.stringContaining('No rule covers this form') })
  })

  it.for(['default', 'dontAsk'] as const)(
    'names rules that allow the action once they are added (%s)',
    async (mode) => {
      const actions = [run('make && npm test | tee log'), run('git log > out.txt'), run("grep 'a b' src/x.ts"), write]
      for (const action of actions) {
        const refusal = await checkOf({ mode })(action)
        const advised = /--allowedTools '(.*)'$/s
          .exec('why' in refusal ? refusal.why : '')?.[1]
          ?.replaceAll("'\\''", "'")
        expect(advised, JSON.stringify(refusal)).toBeDefined()
        const allow = parseRules(advised!).map(({ text }) => text)
        expect(await checkOf({ mode, allow })(action)).toEqual({ allowed: true })
      }
    },
  ) // T36

  it('tells an agent with a lead to report what it needs', async () => {
    const check = checkOf({ mode: 'bypassPermissions' }, { isReadOnly: true, hasLead: true })
    expect(await check(run('make'))).toMatchObject({
      allowed: false,
      why: expect.stringMatching(/^Permission required: say so in your report, so that your lead can ask\./),
    })
    expect(await check(write)).toMatchObject({ allowed: false })
    expect(await check(read)).toEqual({ allowed: true })
  }) // B70

  it('tells a subagent in the mode dontAsk to report what it needs, and is not sent to the lead', async () => {
    const sent: string[] = []
    const person = { onDenied: async () => void sent.push('denied') }
    const refusal = await checkOf({ mode: 'dontAsk' }, { hasLead: true, person })(run('make'))
    expect(refusal).toMatchObject({ allowed: false })
    expect('why' in refusal && refusal.why).toMatch(/^Permission required: say so in your report.*'bash\(make \*\)'$/s)
    expect(sent).toEqual([])
    await checkOf({}, { hasLead: true, person })(run('make'))
    expect(sent).toEqual(['denied'])
  })
})

describe('without a sandbox', () => {
  const missing = { state: 'missing', mode: 'auto', why: { cause: 'bwrap is not there', remedy: 'Install it' } }

  it('commands run only with permission', async () => {
    const sandbox = missing
    expect(await checkOf({ allow: ['bash(make *)'] }, { sandbox })(run('make'))).toEqual({ allowed: true })
    expect(await checkOf({ mode: 'bypassPermissions' }, { sandbox })(run('make'))).toEqual({ allowed: true })
    for (const mode of ['default', 'acceptEdits', 'plan', 'dontAsk'] as const)
      expect(await checkOf({ mode }, { sandbox })(run('make'))).toMatchObject({ allowed: false })
  })

  it('commands do not run where a sandbox is required, and the refusal names cause and remedy', async () => {
    const check = checkOf({ mode: 'bypassPermissions' }, { sandbox: { ...missing, mode: 'require' } })
    const why = expect.stringContaining('bwrap is not there. Install it.')
    expect(await check(run('ls'))).toEqual({ allowed: false, why })
    expect(await check(write)).toEqual({ allowed: true })
  })

  it('a required sandbox that is missing is named before any rule is advised', async () => {
    for (const mode of ['default', 'dontAsk'] as const) {
      const refusal = await checkOf({ mode }, { sandbox: { ...missing, mode: 'require' } })(run('make'))
      expect(refusal).toMatchObject({ allowed: false, why: expect.stringContaining('bwrap is not there. Install it.') })
      expect('why' in refusal && refusal.why).not.toContain('--allowedTools')
    }
  })

  it('commands do not run where a rule denies the network, which only a sandbox can enforce', async () => {
    const denied = { mode: 'bypassPermissions' as const, deny: ['network'] }
    expect(await checkOf(denied, { sandbox: missing })(run('ls'))).toMatchObject({ allowed: false })
    expect(await checkOf(denied)(run('ls'))).toEqual({ allowed: true })
  })
})
