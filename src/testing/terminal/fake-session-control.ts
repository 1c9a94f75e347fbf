import type { NotDone, SessionControl } from '../../session/control/session-control.ts'
import type { SessionRule } from '../../session/control/session-rules.ts'
import type { QuestionLine, TimedLine } from '../../session/wire/live-line.ts'
import type { TeamEvent } from '../../team/event.ts'

type Content<T> = T extends unknown ? Omit<T, 'session_id' | 'agent'> : never

export interface FakeSessionControl extends SessionControl {
  /** What the person did, as the name of the method and its arguments. */
  readonly calls: readonly (readonly unknown[])[]
  /** What the next calls of a method resolve to, in place of success. */
  refuse(method: string, refused: string): void
  /** What `rules` returns. */
  readonly currentRules: SessionRule[]
  /** The conversation that `history` returns. */
  readonly past: TimedLine[]
  line(agent: string, content: Content<TimedLine['line']>): void
  record(...events: TeamEvent[]): void
  delta(agent: string, text: string, kind?: 'text' | 'thinking'): void
  /** A whole answer of an agent, with text or tool calls in it. */
  says(agent: string, ...content: object[]): void
  result(agent: string, call: string, text: string, isError?: boolean): void
  /** Input of which it is not known who wrote it, as in older transcripts. */
  input(agent: string, text: string): void
  /** Words of the person. */
  typed(agent: string, ...texts: string[]): void
  /** Of the runtime. */
  notice(agent: string, text: string): void
  /** A prompt with a file. */
  attached(agent: string, text: string, file: string, about: string, content: string): void
  question(id: string, agent: string, about: QuestionLine['about']): void
  /** No line follows. */
  end(why: string): void
  run(state: 'working' | 'settled', error?: string | null): void
}

/** A session that a test plays line by line, and that records what the person does. */
export function fakeSessionControl(now: () => number): FakeSessionControl {
  const listeners = new Set<(timed: TimedLine) => void>()
  const ends = new Set<(why: string) => void>()
  const written: TimedLine[] = []
  const calls: unknown[][] = []
  const refusals = new Map<string, string>()
  const rules: SessionRule[] = []
  let seq = 0
  function line(agent: string, content: Content<TimedLine['line']>): void {
    const timed: TimedLine = { at: now(), line: { session_id: 's1', agent, ...content } as TimedLine['line'] }
    if (listeners.size === 0) written.push(timed)
    for (const listener of listeners) listener(timed)
  }
  async function call<T>(done: T, method: string, ...args: unknown[]): Promise<T | NotDone> {
    calls.push([method, ...args])
    const refused = refusals.get(method)
    return refused === undefined ? done : { refused }
  }
  const user = (agent: string, content: object[], typed?: { block: number; text: string }[]) =>
    line(agent, {
      ...{ type: 'user', parent_tool_use_id: null, message: { role: 'user', content: content as never } },
      ...(typed && { typed }),
    })
  return {
    session: 's1',
    calls,
    currentRules: rules,
    past: [],
    refuse: (method, refused) => void refusals.set(method, refused),
    subscribe(onLine, onEnd) {
      if (onEnd) ends.add(onEnd)
      for (const timed of written.splice(0)) onLine(timed)
      listeners.add(onLine)
      return () => void listeners.delete(onLine)
    },
    async history(agent) {
      return this.past.filter((timed) => timed.line.agent === agent)
    },
    prompt: (text, line) => call('started' as const, 'prompt', text, ...(line === undefined ? [] : [line])),
    async interrupt(agent) {
      calls.push(['interrupt', agent])
      return true
    },
    send: (to, text) => call(undefined, 'send', to, text),
    answer: (question, answer) => call('accepted' as const, 'answer', question, answer),
    answerRequest: (id, approve, feedback) => call(undefined, 'answerRequest', id, approve, feedback),
    rules: async () => rules,
    setMode: (mode) => call(undefined, 'setMode', mode),
    setModel: (name) => call(undefined, 'setModel', name),
    spawn: (name, role, prompt) => call(undefined, 'spawn', name, role, prompt),
    stop: (member, force) => call(undefined, 'stop', member, force),
    compact: (focus) => call('About 900 tokens became 90.', 'compact', focus),
    async [Symbol.asyncDispose]() {},
    line,
    record: (...events) =>
      line('lead', {
        type: 'deskmates/record',
        team: 's1',
        seq: ++seq,
        id: `e${seq}`,
        at: now(),
        by: { name: 'user' },
        events,
      }),
    delta: (agent, text, kind = 'text') =>
      line(agent, { type: 'deskmates/delta', parent_tool_use_id: null, kind, text }),
    says: (agent, ...content) =>
      line(agent, {
        type: 'assistant',
        parent_tool_use_id: null,
        message: {
          ...{ type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', content: content as never },
          usage: { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 },
        },
        cost_usd: 0.5,
      }),
    result: (agent, id, text, isError = false) =>
      user(agent, [{ type: 'tool_result', tool_use_id: id, content: text, is_error: isError }]),
    input: (agent, text) => user(agent, [{ type: 'text', text }]),
    typed: (agent, ...texts) =>
      user(
        agent,
        texts.map((text) => ({ type: 'text', text })),
        texts.map((text, block) => ({ block, text })),
      ),
    notice: (agent, text) => user(agent, [{ type: 'text', text }], []),
    attached: (agent, text, title, context, data) => {
      const source = { type: 'text', media_type: 'text/plain', data }
      user(agent, [
        { type: 'text', text },
        { type: 'document', source, title, context },
      ])
    },
    question: (id, agent, about) => line(agent, { type: 'deskmates/question', id, team: 's1', about }),
    end(why) {
      for (const onEnd of ends) onEnd(why)
    },
    run: (state, error = null) => line('lead', { type: 'deskmates/run', state, error }),
  }
}
