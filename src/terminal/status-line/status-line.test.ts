import { describe, expect, it } from 'vitest'
import type { StatusOutcome } from '../../session/control/status-program.ts'
import { hostileTexts } from '../../testing/terminal/hostile-texts.ts'
import { openScreen, type ScreenOptions } from '../../testing/terminal/screen-harness.ts'
import { claimed, created, joined, task } from '../../testing/terminal/team-events.ts'
import { colouredLines } from './coloured-lines.ts'

interface Run {
  readonly input: Record<string, unknown>
  readonly signal: AbortSignal
  end(outcome: StatusOutcome): void
}

/** A status line whose program the test plays. */
async function openWithStatusLine(options: ScreenOptions = {}, padding = 0) {
  const runs: Run[] = []
  const open = await openScreen({
    ...options,
    statusLine: {
      padding,
      contextWindow: () => 200,
      run: (input, signal) => new Promise((end) => runs.push({ input: input as Record<string, unknown>, signal, end })),
    },
  })
  return { ...open, runs }
}

describe('the status line', () => {
  it('draws what its program prints, and tells it session, model, cost, context and agents', async () => {
    const { control, clock, shows, runs } = await openWithStatusLine({}, 2)
    control.record(created, joined('lead', 'lead'), joined('ada', 'coder'), task('1', 'Login'), claimed('1', 'ada'))
    control.says('lead', { type: 'text', text: 'Hello.' })
    await shows('Hello.')
    clock.advance(1)
    expect(runs).toHaveLength(1)
    expect(runs[0]!.input).toMatchObject({
      hook_event_name: 'Status',
      session_id: 's1',
      version: '0.1.0',
      cwd: '/nowhere',
      workspace: { current_dir: '/nowhere', project_dir: '/shop' },
      model: { id: 'anthropic/claude-x', display_name: 'claude-x' },
      cost: { total_cost_usd: 0, budget_usd: 5 },
      context_window: { used_tokens: 11, context_window_size: 200, used_percentage: 6 },
      agents: [{ name: 'lead' }, { name: 'ada', role: 'coder', task: '1' }],
      tasks: { in_progress: 1 },
    })
    runs[0]!.end({ output: '\x1b[32mmain\x1b[0m clean\nsecond line\n' })
    const screen = await shows('  main clean', '  second line')
    expect(screen.indexOf('second line')).toBeLessThan(screen.indexOf('default mode'))
  })

  it('runs its program once for changes that come together, and never twice at once', async () => {
    const { control, clock, shows, runs } = await openWithStatusLine()
    clock.advance(1)
    for (const name of ['ada', 'bob', 'carol']) control.record(joined(name, 'coder'))
    clock.advance(5)
    expect(runs).toHaveLength(1)
    runs[0]!.end({ output: 'one' })
    await shows('one')
    clock.advance(1)
    expect(runs.map(({ input }) => (input.agents as unknown[]).length)).toEqual([0, 3])
    runs[1]!.end({ output: 'two' })
    await shows('two')
    control.delta('ada', 'a text that changes none of it')
    clock.advance(5)
    expect(runs).toHaveLength(2)
  })

  it('keeps its last lines while its program runs', async () => {
    const { control, clock, shows, runs, type } = await openWithStatusLine()
    clock.advance(1)
    runs[0]!.end({ output: 'before' })
    await shows('before')
    control.record(joined('ada', 'coder'))
    clock.advance(1)
    expect(runs).toHaveLength(2)
    type('typed meanwhile')
    await shows('typed meanwhile', 'before')
  })

  it('says once that its program failed, and shows it again when it works', async () => {
    const { control, clock, shows, hides, runs, terminal } = await openWithStatusLine()
    clock.advance(1)
    runs[0]!.end({ failed: 'exit code 127: \x1b[2Jmissing' })
    await shows('· The program of the status line failed and is not shown: exit code 127:', 'missing')
    for (const [i, outcome] of [{ failed: 'again' }, { output: 'works' }].entries()) {
      control.record(joined(`ada${i}`, 'coder'))
      clock.advance(1)
      runs[i + 1]!.end(outcome)
      await new Promise(setImmediate)
    }
    await shows('works')
    await hides('again')
    expect((await terminal.everything()).join('\n').split('The program of the status line').length).toBe(2)
  })

  it('ends its program when the terminal is left', async () => {
    const { clock, type, exit, runs } = await openWithStatusLine()
    clock.advance(1)
    type('<ctrl+d>')
    await exit
    expect(runs[0]!.signal.aborted).toBe(true)
  })

  it('leaves the conversation its rows on a small screen', async () => {
    const { clock, shows, runs, terminal } = await openWithStatusLine({ columns: 40, rows: 10 })
    clock.advance(1)
    runs[0]!.end({ output: 'a status' })
    await new Promise(setImmediate)
    await shows('deskmates')
    expect((await terminal.screen()).join('\n')).not.toContain('a status')
  })

  it('keeps colours and no other sequence of its program, within the width', () => {
    const lines = hostileTexts.flatMap((text) => colouredLines(`\x1b[31m${text}\x1b[2J`, 1, 30))
    for (const line of lines) {
      expect(line.columns).toBeLessThanOrEqual(30)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds.
      expect(line.ansi.replace(/\x1b\[[\d;]*m/g, '')).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/)
    }
    expect(colouredLines('\x1b]0;title\x07a\x1b[2Jb\x1b]8;;http://evil\x1b\\c', 0, 30)[0]!.ansi).toBe('abc')
    expect(colouredLines('\x1b[31mred', 0, 30)[0]!.ansi).toBe('\x1b[31mred\x1b[0m')
    expect(lines.length).toBeGreaterThan(100)
    expect(colouredLines('a\nb\nc\nd', 0, 30).map(({ bare }) => bare)).toEqual(['a', 'b', 'c'])
    expect(colouredLines(' \n\x1b[0m\n', 0, 30)).toEqual([])
  })
})
