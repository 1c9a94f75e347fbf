import { describe, expect, it } from 'vitest'
import type { LiveLine, TimedLine } from '../session/wire/live-line.ts'
import type { TeamEvent } from '../team/event.ts'
import { dumpState } from '../team/fold/snapshot.ts'
import { agentRows } from './agent-rows.ts'
import { applyLine } from './apply-line.ts'
import { boardRows } from './board-rows.ts'
import { needsPerson } from './needs-person.ts'
import { totals } from './totals.ts'
import { emptyView, MAX_ENTRIES, MAX_MAIL, type View } from './view.ts'

type Content<T> = T extends unknown ? Omit<T, 'session_id' | 'agent'> : never

/** A session whose lines a test writes one after the other, a second apart. */
function stream() {
  const view = emptyView()
  let [at, seq] = [1000, 0]
  function line(agent: string, content: Content<TimedLine['line']>): View {
    applyLine(view, { at: ++at, line: { session_id: 's1', agent, ...content } as TimedLine['line'] })
    return view
  }
  return {
    view,
    line,
    now: () => at,
    later: (seconds: number) => {
      at += seconds
    },
    record: (...events: TeamEvent[]) =>
      line('lead', {
        type: 'deskmates/record',
        team: 'web',
        seq: ++seq,
        id: `e${seq}`,
        at,
        by: { name: 'user' },
        events,
      }),
    delta: (agent: string, text: string, kind: 'text' | 'thinking' = 'text') =>
      line(agent, { type: 'deskmates/delta', parent_tool_use_id: null, kind, text }),
    answer: (agent: string, ...content: object[]) =>
      line(agent, {
        type: 'assistant',
        parent_tool_use_id: null,
        message: {
          ...{ type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', content: content as never },
          usage: { input_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 },
        },
        cost_usd: 0.5,
      }),
    result: (agent: string, id: string, text: string, isError = false) =>
      line(agent, {
        type: 'user',
        parent_tool_use_id: null,
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: id, content: text, is_error: isError }],
        },
      }),
  }
}

const created: TeamEvent = { type: 'team.created', team: 'web', description: '' }
const joined = (name: string): TeamEvent => ({
  ...{ type: 'member.joined', name, role: 'dev', kind: 'agent', generation: 1, status: 'working' },
  ...{ runtime: 'r', epoch: 1, prompt: null },
})
const task = (id: string, blockedBy: string[] = []): TeamEvent => ({
  ...{ type: 'task.created', id, subject: `task ${id}`, description: '', activeForm: '', role: null, assignee: null },
  ...{ priority: 5, blockedBy, files: [] },
})
const claimed = (id: string, owner: string): TeamEvent => ({
  ...{ type: 'task.claimed', id, owner, generation: 1, lease: null },
})
const used = (member: string, cost: number | null): TeamEvent => ({
  ...{ type: 'usage', member, model: 'm', cost, usage: { input: 10, cacheRead: 5, cacheWrite: 0, output: 1 } },
})
const sent = (id: string, from: string, to: string): TeamEvent => ({
  type: 'message.sent',
  message: { id, type: 'message', from, to, content: `from ${from}`, timestamp: 1 },
})

describe('the rows of agents', () => {
  it('show state, task, last action, tokens and money of each, the lead first', () => {
    const { record, line, view, now } = stream()
    record(created, joined('ada'), task('1'), claimed('1', 'ada'), used('ada', 0.25))
    const call = { tool_use_id: 'c1', name: 'read_file', input: { path: 'src/a.ts' } }
    line('ada', { type: 'deskmates/tool_started', parent_tool_use_id: null, ...call })
    const [lead, ada] = agentRows(view, now())
    expect(lead).toMatchObject({ name: 'lead', role: 'lead' })
    expect(ada).toMatchObject({
      ...{ name: 'ada', team: 'web', state: 'working', lastAction: 'read_file src/a.ts', tokens: 16, dollars: 0.25 },
      ...{ task: { id: '1', subject: 'task 1' }, isStalled: false },
    })
  })

  it('mark an agent that works in silence as stalled, but not one that its provider lets wait', () => {
    const { record, line, later, view, now } = stream()
    record(created, joined('ada'), joined('bob'))
    line('bob', { type: 'deskmates/waiting', provider: 'p', seconds: 900, why: 'rate limit' })
    later(300)
    expect(agentRows(view, now()).map(({ name, isStalled }) => [name, isStalled])).toEqual([
      ['lead', false],
      ['ada', true],
      ['bob', false],
    ])
    expect(agentRows(view, now())[2]!.waitsForProvider).toBe('rate limit')
  })

  it('say that the cost is unknown as soon as one price is', () => {
    const { record, view, now } = stream()
    record(created, joined('ada'), joined('bob'), used('ada', 0.25), used('bob', null))
    expect(agentRows(view, now()).map(({ dollars }) => dollars)).toEqual([0, 0.25, null])
    expect(totals(view)).toEqual({ tokens: 32, dollars: null })
  })

  it('leave out members that have stopped and people', () => {
    const { record, view, now } = stream()
    record(created, joined('ada'), { ...joined('ci'), kind: 'external' } as TeamEvent)
    record({ type: 'member.stopped', name: 'ada', generation: 1, reason: 'done' })
    expect(agentRows(view, now()).map(({ name }) => name)).toEqual(['lead'])
  })
})

describe('a conversation', () => {
  it('shows an answer while it streams, once, and the whole answer in its place', () => {
    const { delta, answer, view } = stream()
    delta('lead', 'Thin', 'thinking')
    delta('lead', 'Hel')
    delta('lead', 'lo')
    const { conversation } = view.agents.get('lead')!
    expect(conversation).toMatchObject([{ kind: 'thinking' }, { kind: 'text', text: 'Hello', isStreaming: true }])
    answer('lead', { type: 'thinking', thinking: 'Think.' }, { type: 'text', text: 'Hello.' })
    expect(conversation).toMatchObject([
      { kind: 'thinking', text: 'Think.', isStreaming: false },
      { kind: 'text', text: 'Hello.', isStreaming: false },
    ])
  })

  it('keeps notes that came in the middle of an answer', () => {
    const { delta, answer, line, view } = stream()
    delta('lead', 'Hel')
    line('lead', { type: 'deskmates/note', text: '[HEALTH] fine' })
    delta('lead', 'lo')
    answer('lead', { type: 'text', text: 'Hello' })
    expect(view.agents.get('lead')!.conversation.map((entry) => entry.kind)).toEqual(['note', 'text'])
  })

  it('follows a call from the answer to its result', () => {
    const { answer, line, result, view } = stream()
    answer('lead', { type: 'tool_use', id: 'c1', name: 'bash', input: { command: 'npm test' } })
    const call = () => view.agents.get('lead')!.conversation.at(-1)
    expect(call()).toMatchObject({ kind: 'tool', state: 'called' })
    const started = { tool_use_id: 'c1', name: 'bash', input: { command: 'npm test' } }
    line('lead', { type: 'deskmates/tool_started', parent_tool_use_id: null, ...started })
    line('lead', { type: 'deskmates/progress', tool_use_id: 'c1', text: '3 passed' })
    expect(call()).toMatchObject({ state: 'running', progress: '3 passed' })
    result('lead', 'c1', 'exit 1', true)
    expect(call()).toMatchObject({ state: 'failed', result: 'exit 1' })
    expect(view.agents.get('lead')!.conversation).toHaveLength(1)
  })

  it('ends what an agent was doing when the agent is lost, or the run has settled', () => {
    const { record, delta, line, view } = stream()
    record(created, joined('ada'))
    delta('ada', 'I am writ')
    record({ type: 'member.lost', name: 'ada', generation: 1, reason: 'killed' })
    expect(view.agents.get('ada')!.conversation.at(-1)).toMatchObject({ isStreaming: false })
    delta('lead', 'Half')
    line('lead', { type: 'deskmates/run', state: 'settled', error: null })
    expect(view.agents.get('lead')!.conversation.at(-1)).toMatchObject({ isStreaming: false })
  })

  it('is bounded, and so is the mail', () => {
    const { line, record, view } = stream()
    record(created, joined('ada'))
    for (let i = 0; i < 3 * MAX_ENTRIES; i++) line('ada', { type: 'deskmates/note', text: `${i}` })
    record(...Array.from({ length: 2 * MAX_MAIL }, (_, i) => sent(`m${i}`, 'ada', 'lead')))
    const { conversation } = view.agents.get('ada')!
    expect(conversation.length).toBeLessThanOrEqual(1.1 * MAX_ENTRIES)
    expect(conversation.at(-1)).toMatchObject({ text: `${3 * MAX_ENTRIES - 1}` })
    expect(view.mail).toHaveLength(MAX_MAIL)
  })
})

describe('what needs a person', () => {
  const question = (id: string): Content<LiveLine> => ({
    ...{ type: 'deskmates/question', id, team: 'web' },
    about: {
      ...{ kind: 'permission', tool: 'bash', input: {}, why: 'no rule allows it', rules: ['bash(npm publish)'] },
      action: { kind: 'run', tool: 'bash', command: 'npm publish' },
    },
  })
  const request = (id: string, from: string, kind: 'permission' | 'plan_approval'): TeamEvent => ({
    ...{ type: 'request.opened', id, kind, from, fromGeneration: 1, to: 'user', toGeneration: 0, content: 'publish' },
    ...{ assignment: null, deadline: null },
  })

  it('lists open questions first, each once although the journal has a request for it', () => {
    const { record, line, view } = stream()
    record(created, joined('ada'), joined('bob'))
    record(request('r1', 'ada', 'permission'), request('r2', 'bob', 'plan_approval'))
    line('ada', question('q1'))
    expect(needsPerson(view).map(({ kind }) => kind)).toEqual(['question', 'request'])
    line('ada', { type: 'deskmates/question_closed', id: 'q1', outcome: 'allowed' })
    record({
      ...{ type: 'request.answered', id: 'r1', by: 'user', approve: true, feedback: '' },
      ...{ status: null, pendingWork: [], artifactsCommitted: null },
    })
    expect(needsPerson(view)).toMatchObject([{ kind: 'request', id: 'r2', from: 'bob' }])
  })

  it('lists failed tasks until they are reopened', () => {
    const { record, view } = stream()
    record(created, joined('ada'), task('1'), claimed('1', 'ada'))
    record({ type: 'task.failed', id: '1', reason: 'no network' })
    expect(needsPerson(view)).toMatchObject([{ kind: 'failed_task', task: '1', reason: 'no network' }])
    record({ type: 'task.reopened', id: '1' })
    expect(needsPerson(view)).toEqual([])
  })

  it('counts unread mail of the user', () => {
    const { record, view } = stream()
    record(created, joined('ada'), { ...joined('user'), kind: 'human' } as TeamEvent)
    record(sent('m1', 'ada', 'user'), sent('m2', 'ada', 'user'))
    expect(needsPerson(view)).toMatchObject([{ kind: 'mail', count: 2, from: 'ada' }])
  })
})

describe('the board', () => {
  it('shows every task below what it waits for', () => {
    const { record, view } = stream()
    record(created, joined('ada'), task('1'), task('2', ['1']), task('3'), task('4', ['2', '3']), claimed('3', 'ada'))
    expect(
      boardRows(view.teams.get('web')!).map(({ id, layer, waitsFor, owner }) => [id, layer, waitsFor, owner]),
    ).toEqual([
      ['1', 0, [], null],
      ['3', 0, [], 'ada'],
      ['2', 1, ['1'], null],
      ['4', 2, ['2', '3'], null],
    ])
  })

  it('shows a chain of 20,000 tasks', () => {
    const { record, view } = stream()
    record(created, ...Array.from({ length: 20_000 }, (_, i) => task(`${i + 1}`, i === 0 ? [] : [`${i}`])))
    expect(boardRows(view.teams.get('web')!).at(-1)).toMatchObject({ id: '20000', layer: 19_999 })
  })
})

describe('a view', () => {
  it('that begins in the middle with a state of the team equals one that read all records', () => {
    const whole = stream()
    whole.record(created, joined('ada'), task('1'), claimed('1', 'ada'), used('ada', 1))
    const late = stream()
    late.line('lead', { type: 'deskmates/state', team: 'web', seq: 1, state: dumpState(whole.view.teams.get('web')!) })
    expect(agentRows(late.view, 2000).map(({ since: _, ...row }) => row)).toEqual(
      agentRows(whole.view, 2000).map(({ since: _, ...row }) => row),
    )
  })
})
