import { describe, expect, it } from 'vitest'
import type { TeamEvent } from '../../team/event.ts'
import { CLOSED, lost } from '../../team/members/breaker.ts'
import { createHandOffReader } from './hand-off-records.ts'

const AT = 1_771_324_200
const read = (events: readonly object[]) => {
  const reader = createHandOffReader('backend')
  return events.flatMap((event, i) => reader(event as TeamEvent, { id: `r${i}`, at: AT, by: 'dev-1' }))
}
const joined = { type: 'member.joined', name: 'dev-1', role: 'dev' }
const created = { type: 'task.created', id: '03-01/T3', files: ['src/a.ts'] }

describe('hand-offs derived from the journal', () => {
  it('are a claim and a completion of a task, with its files and what was left undone', () => {
    const records = read([
      joined,
      created,
      { type: 'task.claimed', id: '03-01/T3', owner: 'dev-1', generation: 1, lease: null },
      { type: 'deviation.noted', member: 'dev-1', task: '03-01/T3', text: 'no tests' },
      { type: 'task.completed', id: '03-01/T3', result: null, commit: 'abc1234' },
      { type: 'task.failed', id: '2', reason: 'cannot' },
    ])
    expect(records).toEqual([
      {
        ...{ id: 'r2', type: 'task_claim', phase: '03', task: '03-01/T3', author_role: 'dev' },
        ...{ timestamp: '2026-02-17T10:30:00.000Z', schema_version: 1, confidence: null },
        payload: {
          ...{ task_id: '03-01/T3', plan_id: '03-01', files: ['src/a.ts'] },
          claimed_at: '2026-02-17T10:30:00.000Z',
        },
      },
      expect.objectContaining({
        type: 'task_complete',
        payload: {
          ...{ task_id: '03-01/T3', plan_id: '03-01', files_modified: ['src/a.ts'] },
          ...{ deviations: ['no tests'], commit: 'abc1234', status: 'complete' },
        },
      }),
      expect.objectContaining({
        type: 'task_complete',
        phase: null,
        payload: {
          ...{ task_id: '2', plan_id: null, files_modified: [], deviations: ['cannot'] },
          ...{ commit: null, status: 'failed' },
        },
      }),
    ])
  }) // C29, C46

  it('are the summary of a plan, the health of an agent and the circuit breaker', () => {
    const summary = { p: '03', n: '01', tc: 2, tt: 3, ch: ['a'], fm: ['f'], dv: ['d'], s: 'partial' }
    const breaker = lost(lost(CLOSED, 'dev-1', AT), 'dev-2', AT)
    const health = { state: 'disappeared', previous: 'working', timeoutTriggered: true, generation: 1 }
    expect(
      read([
        { type: 'plan.ended', plan: '03-01', summary },
        { type: 'agent.health', name: 'dev-1', ...health },
        { type: 'breaker.changed', breaker, reason: 'x' },
      ]).map(({ type, payload }) => ({ type, payload })),
    ).toEqual([
      {
        type: 'summary_aggregation',
        payload: {
          ...{ plan_id: '03-01', tasks_completed: 2, tasks_total: 3, commit_hashes: ['a'] },
          ...{ files_modified: ['f'], deviations: ['d'], status: 'partial' },
        },
      },
      {
        type: 'agent_health_event',
        payload: {
          ...{ agent_id: 'dev-1', dept: 'backend', state: 'disappeared', timestamp: '2026-02-17T10:30:00.000Z' },
          ...{ prev_state: 'working', timeout_triggered: true },
        },
      },
      {
        type: 'circuit_breaker_state',
        payload: {
          ...{ dept: 'backend', state: 'open', opened_at: '2026-02-17T10:30:00.000Z' },
          ...{ failure_count: 2, last_probe_at: null },
        },
      },
    ])
  }) // C39, C63, C64, C68

  it('stand beside those that members sent, in one envelope; text stays text', () => {
    const message = (more: object) => ({
      type: 'message.sent',
      message: { id: 'm', from: 'dev-1', to: 'senior', ...more },
    })
    const records = read([
      joined,
      message({ type: 'dev_progress', content: '{"task":"03-01/T3","plan_id":"03-01"}' }),
      message({ type: 'message', handoff: 'perf_report', content: 'all fast' }),
      message({ type: 'message', content: 'hello' }),
      message({ type: 'dev_blocker', content: '{"payload":{"task":"03-01/T1"},"phase":"04","confidence":0.5}' }),
      { type: 'handoff.recorded', kind: 'api_contract', from: 'backend', content: { status: 'agreed' } },
      { type: 'handoff.recorded', kind: 'qa_result', from: 'dev-1', content: { result: 'FAIL' } },
    ])
    expect(records).toMatchObject([
      { type: 'dev_progress', phase: '03', task: '03-01/T3', author_role: 'dev', payload: { plan_id: '03-01' } },
      { type: 'perf_report', payload: 'all fast' },
      { type: 'dev_blocker', phase: '04', task: '03-01/T1', confidence: 0.5, payload: { task: '03-01/T1' } },
      { type: 'api_contract', payload: { status: 'agreed' } },
      { type: 'qa_result', author_role: 'dev', payload: { result: 'FAIL' } },
    ])
  }) // C33, C35
})
