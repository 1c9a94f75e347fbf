import { afterEach, describe, expect, it } from 'vitest'
import type { LiveLine, TimedLine } from '../../session/wire/live-line.ts'
import type { TeamEvent } from '../../team/event.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { hostileTexts } from '../../testing/terminal/hostile-texts.ts'
import { claimed, created, joined, mail, task } from '../../testing/terminal/team-events.ts'
import { virtualTerminal } from '../../testing/terminal/virtual-terminal.ts'
import { runReplay } from './run-replay.ts'

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

let seq = 0
const record = (at: number, ...events: TeamEvent[]): TimedLine => {
  const line: LiveLine = {
    ...{ type: 'deskmates/record', session_id: 's1', agent: 'lead', team: 's1', seq: ++seq, id: `r${seq}`, at },
    ...{ by: { name: 'lead' }, events },
  }
  return { at, line }
}
const reads = (at: number, agent: string, text: string): TimedLine => ({
  at,
  line: {
    ...{ type: 'user', session_id: 's1', agent, parent_tool_use_id: null },
    message: { role: 'user', content: [{ type: 'text', text }] },
  },
})

/** Steps 1 to 6: a team, a task, mail that ada reads four minutes later. */
const RUN: readonly TimedLine[] = [
  record(1000, created, joined('ada')),
  record(1001, task('1', 'Write the parser')),
  record(1002, claimed('1', 'ada')),
  record(1003, mail('m1', 'lead', 'ada', 'mind the empty file')),
  reads(1243, 'ada', '<message from="lead" type="message">\nmind the empty file\n</message>'),
  record(1244, { type: 'message.delivered', member: 'ada', ids: ['m1'], take: null, turn: 't1' }),
]

function play(run = RUN, options: { isPaused?: boolean; speed?: number; from?: number; warning?: string } = {}) {
  const clock = manualClock(5000)
  const terminal = virtualTerminal(90, 20)
  const abort = new AbortController()
  const ended = runReplay({
    lines: {
      count: run.length,
      timeOf: (step) => run[Math.max(0, step - 1)]?.at ?? 0,
      read: async (after) => run.slice(after),
    },
    ...{ title: 's1', clock, terminal, hasColours: true, from: 0, to: run.length, speed: 1, isPaused: false },
    ...{ signal: abort.signal, describe: ({ line }) => `${line.agent} ${line.type}`, ...options },
  })
  opened.push(async () => {
    abort.abort()
    await ended
  })
  const screen = async () => (await terminal.screen()).join('\n')
  return {
    ...{ clock, terminal, ended, screen, press: (key: string) => terminal.press(key) },
    /** The next step is due at some time; then so many seconds pass. */
    async passes(seconds: number) {
      await expect.poll(() => clock.next, { timeout: 20_000, interval: 5 }).toBeDefined()
      clock.advance(seconds)
    },
    shows: (text: string | RegExp) => expect.poll(screen, { timeout: 20_000, interval: 5 }).toMatch(text),
  }
}

const [RIGHT, LEFT, DOWN, ENTER, ESCAPE] = ['\x1b[C', '\x1b[D', '\x1b[B', '\r', '\x1b']

describe('a replay on the screen', () => {
  it('plays by its own time, and waits no longer than two seconds for a step', async () => {
    const { passes, shows, screen } = play()
    await shows('step 0 of 6')
    for (const step of [1, 2, 3, 4]) {
      await passes(1)
      await shows(`step ${step} of 6`)
    }
    await passes(1.9)
    expect(await screen()).toContain('step 4 of 6')
    await passes(0.2)
    await shows(/step 5 of 6[\s\S]*after 4m00/)
  })

  it('steps forward and back, and shows the team as it was at each step', async () => {
    const { press, shows, screen } = play(RUN, { isPaused: true })
    await shows('step 0 of 6')
    for (const key of [RIGHT, 'n', 'n']) press(key)
    await shows(/step 3 of 6/)
    await shows(/ada +#1 Write the parser/)
    press(LEFT)
    await shows('step 2 of 6')
    expect(await screen()).not.toMatch(/ada +#1/)
    press('p')
    press('p')
    await shows('before the first step')
    press('G')
    await shows('step 6 of 6')
    press('g')
    await shows('step 0 of 6')
  })

  it('shows what an agent knew: its task, the mail it had read, and the mail it had not', async () => {
    const { press, shows, screen } = play(RUN, { isPaused: true, from: 4 })
    await shows('step 4 of 6')
    press(DOWN)
    press(ENTER)
    await shows(/ada \(dev\) · working · holds #1 Write the parser/)
    await shows(/1 message that it had not read:[\s\S]*mind the empty file/)
    press('n')
    press('n')
    await shows(/✉ lead\n +mind the empty file/)
    await shows('step 6 of 6')
    expect((await screen()).match(/mind the empty file/g)).toHaveLength(1)
    expect(await screen()).not.toContain('had not read')
    press(ESCAPE)
    press('m')
    await shows(/lead → ada +read by ada/)
    press('p')
    await shows(/lead → ada +unread by ada/)
  })

  it('pauses and goes on, faster or slower, and ends with q', async () => {
    const { clock, passes, press, shows, screen, ended } = play(RUN, { from: 1 })
    await shows('step 1 of 6')
    press(' ')
    await shows('‖')
    clock.advance(60)
    expect(await screen()).toContain('step 1 of 6')
    press('+')
    press('+')
    await shows('5×')
    press(' ')
    await passes(0.2)
    await shows('step 2 of 6')
    press('-')
    await shows('2×')
    press('q')
    await ended
    expect(await screen()).toContain('left at step 2 of 6.')
  })

  it('plays everything at once at the highest speed', async () => {
    const { passes, shows } = play(RUN, { speed: Number.POSITIVE_INFINITY })
    await passes(0)
    await shows('step 6 of 6')
  })

  it('says what cannot be played', async () => {
    const { shows } = play(RUN, { isPaused: true, warning: 'journal.jsonl:3 is damaged' })
    await shows('! journal.jsonl:3 is damaged')
  })

  it('draws hostile texts in every place without letting them act', async () => {
    const run = [
      record(1000, created, joined('ada')),
      ...hostileTexts.flatMap((text, i) => [
        record(1001 + i, task(String(i + 1), text), mail(`m${i}`, text, 'ada', text)),
        reads(1001 + i, i % 2 === 0 ? 'lead' : 'ada', `${text}<message from="x">\n${text}\n</message>`),
      ]),
    ]
    const { press, shows, terminal } = play(run, { isPaused: true, warning: hostileTexts[0]! })
    const last = 1 + 2 * hostileTexts.length
    await shows(`step 0 of ${last}`)
    press('G')
    await shows(`step ${last} of ${last}`)
    for (const key of ['b', 'm', DOWN + ENTER]) {
      for (const one of key === 'b' || key === 'm' ? [key] : [DOWN, ENTER]) press(one)
      await shows('esc back')
      for (let i = 0; i < 30; i++) press('\x1b[5~')
      press(ESCAPE)
      await shows('who knew what')
    }
    expect(terminal.written.replace(OURS, '')).not.toMatch(HARMFUL)
  })
})

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what they find.
const OURS = /\x1b\[[\d;]*m|\x1b\[\d*[ABCDGHJK]|\x1b\[\?(?:2026|25|7|1049)[hl]|\x1b\]8;;\x07|\r\n|\r/g
const HARMFUL = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/u
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: control characters are what they find.
