import { describe, expect, it } from 'vitest'
import { unreadOf } from '../../team/state.ts'
import { departmentHarness } from '../../testing/harnesses/department-harness.ts'
import { engineering, templateFiles } from '../../testing/harnesses/organisation-harness.ts'

const PROGRESS = { task: '03-01/T3', plan_id: '03-01', commit: 'abc1234', status: 'complete', concerns: [] }
const BLOCKER = { task: '03-01/T3', plan_id: '03-01', blocker: 'b', needs: 'n', attempted: ['a'] }
const ESCALATION = { issue: 'i', evidence: ['log line 3'], recommendation: 'r', severity: 'blocking' }
const counts = { findings: 0, critical: 0, categories: {}, artifact: 'security-audit.jsonl' }
const reviewed = { artifact: 'code-review.jsonl', committed: true }

/** Every row of the hand-offs that travel as messages: who sends it to whom, with which content. */
const ROWS: [type: string, from: string, to: string, content: object][] = [
  ['dev_progress', 'dev-1', 'senior', PROGRESS],
  ['dev_blocker', 'dev-1', 'senior', BLOCKER],
  [
    'code_review_changes',
    'senior',
    'dev-1',
    {
      ...{ plan_id: '03-01', cycle: 1, must_fix: ['src/a.ts:3'], rerun_tests: true },
      changes: [{ f: 'src/a.ts', ln: 3, issue: 'i', fix: 'f' }],
    },
  ],
  [
    'code_review_result',
    'senior',
    'lead',
    { plan_id: '03-01', result: 'approve', cycle: 1, findings_count: 0, critical: 0, ...reviewed },
  ],
  ['senior_spec', 'senior', 'lead', { plan_id: '03-01', tasks_enriched: 3, concerns: [], committed: true }],
  [
    'architecture_design',
    'architect',
    'lead',
    {
      ...{ phase: '03', artifact: 'architecture.toon', committed: true },
      decisions: [{ decision: 'd', rationale: 'r', alternatives: [] }],
      risks: [{ risk: 'r', impact: 'i', mitigation: 'm' }],
    },
  ],
  [
    'test_plan_result',
    'tester',
    'senior',
    { plan_id: '03-01', tasks_tested: 3, tasks_skipped: 0, total_tests: 9, all_red: true, ...reviewed },
  ],
  [
    'qa_result',
    'qa',
    'lead',
    { tier: 'standard', result: 'PASS', checks: { passed: 9, failed: 0, total: 9 }, failures: [], ...reviewed },
  ],
  [
    'qa_code_result',
    'qa-code',
    'lead',
    {
      ...{ tier: 'standard', result: 'PARTIAL', failures: ['x'], ...reviewed },
      ...{ tests: { passed: 9, failed: 1, skipped: 0 }, lint: { errors: 0, warnings: 2 } },
    },
  ],
  ['security_audit', 'security', 'lead', { result: 'WARN', ...counts }],
  ['escalation', 'dev-1', 'senior', { from: 'dev', to: 'senior', ...ESCALATION }],
  ['escalation', 'senior', 'lead', { from: 'senior', to: 'lead', ...ESCALATION }],
  ['escalation', 'lead', 'architect', { from: 'lead', to: 'architect', ...ESCALATION }],
  ['escalation', 'tester', 'senior', { from: 'tester', to: 'senior', ...ESCALATION }],
  ['escalation', 'qa', 'lead', { from: 'qa', to: 'lead', ...ESCALATION }],
]

const MEMBERS = ['lead', 'architect', 'senior', 'dev-1', 'tester', 'qa', 'qa-code', 'security']

describe('a typed hand-off', () => {
  it('is delivered from its role to its role, and refused for every other recipient', async () => {
    const team = await departmentHarness()
    for (const [type, from, to, content] of ROWS) {
      const message = { type, content: JSON.stringify(content) }
      expect(await team.as(from).ok('SendMessage', { ...message, recipient: to })).toContain(`Sent ${type} to ${to}`)
      for (const other of MEMBERS.filter((name) => name !== to && name !== from)) {
        const before = team.unread(other)
        const text = await team.as(from).no('SendMessage', { ...message, recipient: other })
        expect(text).toContain(`Allowed recipients: `)
        expect(text).toContain(to)
        expect(team.unread(other), `${type} from ${from} to ${other}`).toBe(before)
      }
    }
  }) // C26, C27, C28, C31, F50

  it('is refused for every role that does not send it, with what the role sends', async () => {
    const team = await departmentHarness()
    for (const [type, from, to, content] of ROWS.filter(([name]) => name !== 'escalation'))
      for (const other of MEMBERS.filter((name) => name !== to && name.replace('-1', '') !== from.replace('-1', '')))
        expect(
          await team.as(other).no('SendMessage', { type, recipient: to, content: JSON.stringify(content) }),
        ).toContain(`does not send ${type}`)
    expect(await team.as('dev-1').no('SendMessage', { type: 'qa_result', recipient: 'lead', content: '{}' })).toBe(
      'dev-1 (dev) does not send qa_result. It sends dev_progress to senior; dev_blocker to senior; escalation to senior.',
    )
  }) // C26, C32, C35

  it('is refused before delivery when a field is missing, wrong or unknown', async () => {
    const team = await departmentHarness()
    const dev = team.as('dev-1')
    const send = (content: object | string) =>
      dev.no('SendMessage', {
        type: 'dev_progress',
        recipient: 'senior',
        content: typeof content === 'string' ? content : JSON.stringify(content),
      })
    expect(await send({ ...PROGRESS, task: 'T3', status: 'done' })).toBe(
      'The content is not a valid dev_progress: task: is not the id of a task, like "03-01/T3"; status: is not one of complete, partial, failed. Write a JSON object with the fields task, plan_id, commit, status, concerns.',
    )
    const { commit: _, ...without } = PROGRESS
    expect(await send(without)).toContain('commit: is not a text')
    expect(await send({ ...PROGRESS, mood: 'good' })).toContain('mood: is not a field here')
    expect(await send({ ...PROGRESS, type: 'dev_blocker' })).toContain('but the message is sent as dev_progress')
    for (const text of ['done!', '[]', 'null', '"x"', '{', `{"__proto__": 3}`, '3']) await send(text)
    expect(team.unread('senior')).toBe(0)
    await dev.ok('SendMessage', {
      type: 'dev_progress',
      recipient: 'senior',
      content: JSON.stringify({ type: 'dev_progress', ...PROGRESS }),
    })
  }) // C33, C35

  it('may stand in an envelope, whose author must be the sender', async () => {
    const team = await departmentHarness()
    const envelope = {
      id: 'x',
      type: 'dev_progress',
      phase: '03',
      author_role: 'dev',
      schema_version: 1,
      confidence: 0.9,
    }
    const send = (more: object) => ({
      type: 'dev_progress',
      recipient: 'senior',
      content: JSON.stringify({ ...envelope, payload: PROGRESS, ...more }),
    })
    await team.as('dev-1').ok('SendMessage', send({}))
    expect(await team.as('dev-1').no('SendMessage', send({ author_role: 'lead' }))).toContain('you are dev, not "lead"')
    expect(await team.as('dev-1').no('SendMessage', send({ payload: {} }))).toContain('task: is not')
    expect(await team.as('dev-1').no('SendMessage', send({ payload: 3 }))).toContain('payload')
  }) // C35

  it('of a type that the organisation added is offered, validated and shown with its name', async () => {
    const added = 'perf_report:\n  from: qa\n  to: lead\n  text: true\n  fields: { p95: number }\n'
    const team = await departmentHarness(
      engineering({ 'handoffs.yaml': `${templateFiles()['handoffs.yaml']}${added}` }),
    )
    const qa = team.as('qa')
    const offered = qa.tools.find(({ name }) => name === 'SendMessage')?.schema.properties as {
      type: { enum: string[] }
    }
    expect(offered.type.enum).toContain('perf_report')
    await qa.ok('SendMessage', { type: 'perf_report', recipient: 'lead', content: '{"p95":12}' })
    expect(await qa.no('SendMessage', { type: 'perf_report', recipient: 'lead', content: '{"p95":-1}' })).toContain(
      'p95',
    )
    expect(await qa.no('SendMessage', { type: 'perf_report', recipient: 'senior', content: '{"p95":1}' })).toContain(
      'Allowed recipients: lead',
    )
    await qa.ok('SendMessage', { type: 'perf_report', recipient: 'lead', content: 'all fast' })
    expect(await qa.no('SendMessage', { type: 'pref_report', recipient: 'lead', content: 'x' })).toContain(
      'is not a message type',
    )
    expect(team.mail('lead').at(-1)).toMatchObject({ type: 'message', handoff: 'perf_report', content: 'all fast' })
  }) // C33, C35

  it.each(['task_claim', 'task_complete', 'summary_aggregation', 'agent_health_event', 'circuit_breaker_state'])(
    '%s is never sent by a model, with or without an organisation',
    async (type) => {
      const team = await departmentHarness()
      const text = await team.as('dev-1').no('SendMessage', { type, recipient: 'lead', content: '{}' })
      expect(text).toContain(`${type} is derived from the journal and is not sent`)
      expect(team.unread('lead')).toBe(0)
      expect(team.routing.route({ from: 'dev-1', to: 'lead', type, content: '{}' }, team.state)).toMatchObject({
        code: 'not_routed',
        details: { problem: 'derived' },
      })
    },
  ) // C29
})

describe('a plain message', () => {
  it('reaches only roles that the sender may write to; a developer writes to the senior alone', async () => {
    const team = await departmentHarness()
    await team.as('dev-1').ok('SendMessage', { recipient: 'senior', content: 'hi' })
    for (const name of ['lead', 'architect', 'tester', 'qa'])
      expect(await team.as('dev-1').no('SendMessage', { recipient: name, content: 'hi' })).toBe(
        `A dev sends message to senior only, not to ${name}. Allowed recipients: senior.`,
      )
    expect(team.unread('lead')).toBe(0)
    expect(await team.as('dev-1').no('SendMessage', { recipient: 'user', content: 'hi' })).toContain('not to user')
    expect(await team.as('lead').no('SendMessage', { recipient: 'user', content: 'hi' })).toContain('not to user')
  }) // C26, C31, C34

  it('to all is refused for a role that may not write to each of them, and delivered for the lead', async () => {
    const team = await departmentHarness()
    expect(await team.as('dev-1').no('SendMessage', { type: 'broadcast', content: 'x' })).toContain(
      'Allowed recipients: senior',
    )
    expect(await team.as('dev-1').no('SendMessage', { recipient: 'all', content: 'x' })).toContain(
      'Allowed recipients: senior',
    )
    expect(team.unread('senior')).toBe(0)
    expect(await team.as('lead').ok('SendMessage', { type: 'broadcast', content: 'x' })).toContain(
      'Broadcast sent to 7',
    )
    expect(await team.as('lead', 'simple').ok('broadcast', { content: 'x' })).toContain('Broadcast sent to 7')
    expect(await team.as('dev-1', 'simple').no('send_message', { to: 'lead', content: 'x' })).toContain(
      'Allowed recipients: senior',
    )
  }) // C26, C30

  it('from or to a member with an unknown role is refused', async () => {
    const team = await departmentHarness()
    await team.spawn('eve', 'wizard')
    await team.spawn('fe', 'yolo-fe-dev')
    expect(await team.as('eve').no('SendMessage', { recipient: 'senior', content: 'x' })).toBe(
      'eve has the role "wizard", which has no place in this department. Its roles: architect, senior, dev, tester, qa, qa-code, security.',
    )
    expect(await team.as('fe').no('SendMessage', { recipient: 'senior', content: 'x' })).toContain('"yolo-fe-dev"')
    expect(await team.as('lead').no('SendMessage', { recipient: 'eve', content: 'x' })).toContain('not to eve (wizard)')
    expect(await team.as('senior').no('SendMessage', { recipient: 'zoe', content: 'x' })).toContain('not to zoe')
    await team.spawn('dev-2', 'yolo-dev')
    await team.as('dev-2').ok('SendMessage', { recipient: 'senior', content: 'x' })
  }) // C32

  it('asks the user for approval of a plan only through the lead', async () => {
    const team = await departmentHarness()
    const dev = team.as('dev-1')
    expect(await dev.no('SendMessage', { type: 'plan_approval_request', recipient: 'user', content: 'p' })).toContain(
      'not to user',
    )
    await dev.ok('SendMessage', { type: 'plan_approval_request', content: 'p' })
  }) // C31
})

describe('a hand-off between departments', () => {
  const CONTRACT = {
    direction: 'frontend_to_backend',
    endpoints: [{ method: 'GET', path: '/a', request: {}, response: {} }],
    status: 'proposed',
  }
  const DESIGN = {
    ...{ phase: '03', department: 'uiux', artifacts: {}, ready_components: [], deferred: [] },
    acceptance_criteria: [],
    status: 'complete',
  }
  const RESULT = {
    ...{ department: 'backend', phase: '03', result: 'PASS', plans_completed: 2, plans_total: 2 },
    ...{ qa_result: 'PASS', security_result: 'skipped', tdd_coverage: '90 %' },
  }

  it('is recorded for a file and never mailed: contracts, designs, results', async () => {
    const frontend = await departmentHarness(engineering(), 'frontend')
    const text = await frontend
      .as('lead')
      .ok('SendMessage', { type: 'api_contract', recipient: 'yolo-lead', content: JSON.stringify(CONTRACT) })
    expect(text).toBe(
      'Recorded api_contract (proposed) for backend, and written to api-contracts.jsonl of the phase. Departments exchange files: nothing was mailed.',
    )
    await frontend.as('lead').ok('SendMessage', {
      type: 'department_result',
      recipient: 'owner',
      content: JSON.stringify({ ...RESULT, department: 'frontend' }),
    })
    expect([...frontend.state.handOffs.values()]).toMatchObject([
      { kind: 'api_contract', from: 'frontend', to: 'backend', status: 'proposed', folder: 'phases/03-api' },
      { kind: 'department_result', from: 'frontend', to: 'owner' },
    ])
    const design = await departmentHarness(engineering(), 'uiux')
    for (const recipient of ['yolo-fe-lead', 'backend', 'frontend/lead'])
      await design.as('lead').ok('SendMessage', { type: 'design_handoff', recipient, content: JSON.stringify(DESIGN) })
    expect([...design.state.handOffs.values()].map(({ to }) => to)).toEqual(['frontend', 'backend', 'frontend'])
  }) // C30, C34, C73

  it('is refused between backend and design, from members, and as a plain message', async () => {
    const backend = await departmentHarness()
    const lead = backend.as('lead')
    expect(await lead.no('SendMessage', { recipient: 'yolo-ux-lead', content: 'hi' })).toContain('not to yolo-ux-lead')
    expect(await lead.no('SendMessage', { recipient: 'yolo-fe-lead', content: 'hi' })).toContain('not to yolo-fe-lead')
    expect(
      await lead.no('SendMessage', {
        type: 'design_handoff',
        recipient: 'yolo-ux-lead',
        content: JSON.stringify(DESIGN),
      }),
    ).toContain('does not send design_handoff')
    expect(
      await lead.no('SendMessage', {
        type: 'api_contract',
        recipient: 'yolo-ux-lead',
        content: JSON.stringify(CONTRACT),
      }),
    ).toContain('which is in another department. Allowed recipients: yolo-fe-lead.')
    expect(
      await backend
        .as('dev-1')
        .no('SendMessage', { type: 'api_contract', recipient: 'yolo-fe-lead', content: JSON.stringify(CONTRACT) }),
    ).toContain('does not send api_contract')
    expect(
      await backend
        .as('dev-1')
        .no('SendMessage', { type: 'department_result', recipient: 'owner', content: JSON.stringify(RESULT) }),
    ).toContain('does not send')
    expect(backend.state.handOffs.size).toBe(0)
  }) // C30, C32, C34

  it('by the owner, or by a task-only role, is sent by no member', async () => {
    const backend = await departmentHarness()
    for (const type of ['owner_review', 'owner_signoff', 'critique_result', 'scout_findings', 'debugger_report'])
      for (const name of MEMBERS)
        expect(await backend.as(name).no('SendMessage', { type, recipient: 'senior', content: '{}' })).toContain(
          `does not send ${type}`,
        )
  }) // C17, C34

  it('takes an escalation of the architect, and a FAIL of security, to the owner without a level between', async () => {
    const team = await departmentHarness()
    const send = (from: string, to: string, more = {}) => ({
      type: 'escalation',
      recipient: to,
      content: JSON.stringify({ from, to, ...ESCALATION, ...more }),
    })
    expect(await team.as('architect').ok('SendMessage', send('architect', 'owner'))).toContain('Recorded escalation')
    expect(await team.as('security').no('SendMessage', send('security', 'owner'))).toContain('Allowed recipients: lead')
    expect(await team.as('security').ok('SendMessage', send('security', 'owner', { result: 'FAIL' }))).toContain(
      'Recorded',
    )
    expect(await team.as('qa').no('SendMessage', send('qa', 'owner', { result: 'FAIL' }))).toContain(
      'Allowed recipients: lead',
    )
    expect(await team.as('dev-1').no('SendMessage', send('senior', 'senior'))).toContain('you are dev')
    expect(await team.as('dev-1').no('SendMessage', send('dev', 'senior', { evidence: [] }))).toContain(
      'evidence: must not be empty',
    )
  }) // C31
})

describe('an organisation that only warns', () => {
  it('delivers a message that breaks a rule, says so, and marks it in the journal', async () => {
    const files = templateFiles()
    const main = files['organisation.yaml']!.replace('violations: reject', 'violations: warn')
    const team = await departmentHarness(engineering({ 'organisation.yaml': main }))
    const text = await team.as('dev-1').ok('SendMessage', { recipient: 'lead', content: 'hi' })
    expect(text).toContain('Sent message to lead')
    expect(text).toContain('Warning: A dev sends message to senior only, not to lead.')
    expect(unreadOf(team.state, 'lead').at(-1)?.message).toMatchObject({ violation: 'not_routed' })
    expect(
      await team.as('dev-1').no('SendMessage', { type: 'task_claim', recipient: 'lead', content: '{}' }),
    ).toContain('derived')
    expect(await team.as('dev-1').no('SendMessage', { recipient: 'yolo-fe-lead', content: 'x' })).toContain(
      'not to yolo-fe-lead',
    )
  }) // C35, F50
})
