import { expect, it } from 'vitest'
import type { TimedLine } from '../session/wire/live-line.ts'
import { dumpState } from '../team/fold/snapshot.ts'
import { claimed, created, joined, mail, task } from '../testing/terminal/team-events.ts'
import { applyLine } from './apply-line.ts'
import { replayedView } from './replayed-view.ts'
import { emptyView, type View } from './view.ts'

const BATCH = 50

/** A session of `count` lines: a board and mail that grow, calls that begin and end. */
function session(count: number) {
  const lines = Array.from({ length: count }, (_, i): TimedLine => {
    const at = 1000 + i
    const base = { session_id: 's1', agent: i % 3 === 0 ? 'lead' : 'ada' }
    const record = {
      ...base,
      type: 'deskmates/record',
      team: 's1',
      seq: i + 1,
      id: `r${i}`,
      at,
      by: { name: 'user' },
    } as const
    if (i === 0) return { at, line: { ...record, events: [created, joined('ada')] } }
    if (i === 1) return { at, line: { ...record, events: [task('1', 'One'), claimed('1', 'ada')] } }
    const call = `c${i - (i % 10)}`
    if (i % 10 === 5)
      return {
        at,
        line: {
          ...{ ...base, agent: 'ada', type: 'user', parent_tool_use_id: null },
          message: {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: call, content: 'ok', is_error: false }],
          },
        },
      }
    if (i % 10 === 0)
      return {
        at,
        line: {
          ...{ ...base, agent: 'ada', type: 'deskmates/tool_started', parent_tool_use_id: null },
          ...{ tool_use_id: call, name: 'bash', input: { command: `echo ${i}` } },
        },
      }
    if (i % 7 === 0)
      return {
        at,
        line: { ...record, events: [{ type: 'message.delivered', member: 'ada', ids: [`m${i - 1}`], take: null }] },
      }
    return { at, line: { ...record, events: [mail(`m${i}`, 'lead', 'ada', `text ${i}`)] } }
  })
  let read = 0
  return {
    count,
    timeOf: (step: number) => 1000 + step - 1,
    async read(after: number) {
      const batch = lines.slice(after, after + BATCH)
      read += batch.length
      return batch
    },
    lines,
    takeRead() {
      const count = read
      read = 0
      return count
    },
  }
}

function facts({ teams, agents, mail }: View) {
  return {
    teams: [...teams].map(([name, state]) => [name, dumpState(state)]),
    agents: [...agents.values()],
    mail,
  }
}

it('a step back shows what the same step showed on the way there', async () => {
  const played = session(400)
  // Few views are kept, so that most are dropped again on the way, and calls run at their steps.
  const replay = replayedView(played, { interval: 21, most: 5, size: 1e9 })
  await replay.seek(400)
  for (const step of [399, 398, 169, 168, 43, 42, 0, 400, 237, 84]) {
    await replay.seek(step)
    const forward = emptyView()
    for (const timed of played.lines.slice(0, step)) applyLine(forward, timed)
    expect(replay.step).toBe(step)
    expect(facts(replay.view)).toEqual(facts(forward))
    expect(replay.line).toEqual(step === 0 ? undefined : played.lines[step - 1])
  }
})

it('a step back in 10,000 lines folds a few hundred of them', async () => {
  const played = session(10_000)
  const replay = replayedView(played)
  await replay.seek(10_000)
  played.takeRead()
  for (const step of [9_999, 9_998, 5_001, 1_499]) {
    await replay.seek(step)
    expect(played.takeRead()).toBeLessThanOrEqual(500 + BATCH)
  }
})

it('keeps no more views than fit, however long the session is', async () => {
  const played = session(3000)
  const replay = replayedView(played, { interval: 10, most: 1000, size: 1 })
  await replay.seek(3000)
  played.takeRead()
  await replay.seek(2999)
  // One kept view at most: the rest is folded again.
  expect(played.takeRead()).toBeGreaterThan(400)
})
