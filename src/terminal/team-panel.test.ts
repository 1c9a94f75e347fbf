import { describe, expect, it } from 'vitest'
import type { QuestionLine } from '../session/wire/live-line.ts'
import type { TeamEvent } from '../team/event.ts'
import { openScreen } from '../testing/terminal/screen-harness.ts'
import { claimed, created, failed, joined, task } from '../testing/terminal/team-events.ts'

const bash = (command: string): QuestionLine['about'] => ({
  ...{ kind: 'permission', tool: 'bash', input: { command }, why: 'no rule allows it', rules: ['bash(npm publish:*)'] },
  action: { kind: 'run', tool: 'bash', command },
})

async function openTeam(...events: TeamEvent[]) {
  const open = await openScreen()
  open.control.record(created, joined('backend', 'coder'), joined('frontend', 'dev', 'idle'), ...events)
  await open.shows('backend', 'frontend')
  return open
}

describe('the team panel', () => {
  it('shows state, task, time, last action and money of each teammate', async () => {
    const { control, clock, shows } = await openTeam(task('1', 'List the REST endpoints'), claimed('1', 'backend'))
    control.record({
      ...{ type: 'usage', member: 'backend', model: 'm', cost: 0.21 },
      usage: { input: 12_000, cacheRead: 0, cacheWrite: 0, output: 10 },
    })
    control.line('backend', {
      ...{ type: 'deskmates/tool_started', parent_tool_use_id: null, tool_use_id: 'c1', name: 'read_file' },
      input: { path: 'src/routes.ts' },
    })
    clock.advance(63)
    await shows(/● backend +#1 List the REST end.* 1m03 +read_file src.*12k · 0\.21 \$/, /○ frontend +idle 1m03/)
  })

  it('marks a teammate that works and is silent', async () => {
    const { clock, shows } = await openTeam()
    clock.advance(300)
    await shows(/▲ backend +silent 5m00/)
  })

  it('puts what needs the person first, a failed task too', async () => {
    const { control, shows } = await openTeam(task('1', 'Publish'), claimed('1', 'backend'), failed('1', 'no token'))
    control.question('q1', 'frontend', bash('npm publish'))
    const screen = await shows('#1 Publish failed: no token', 'frontend wants bash: npm publish')
    expect(screen.indexOf('frontend wants')).toBeLessThan(screen.indexOf('#1 Publish failed'))
    expect(screen.indexOf('#1 Publish failed')).toBeLessThan(screen.search(/● backend/))
  })
})

describe('a question', () => {
  it.for([
    ['y', { allowed: true }],
    ['a', { allowed: true, always: true }],
    ['n', { allowed: false }],
  ] as const)('is answered with the key %s after the whole command was shown', async ([key, answer]) => {
    const { control, clock, shows, type, called } = await openTeam()
    clock.advance(5)
    control.question('q1', 'backend', bash('npm publish --tag next'))
    await shows('›! backend wants bash', '  npm publish --tag next', 'always (this session)')
    clock.advance(1)
    type(key)
    await called('answer', 'q1', answer)
  })

  it('does not take the keys of a person who types', async () => {
    const { control, shows, type, clock } = await openTeam()
    type('y')
    control.question('q1', 'backend', bash('rm -rf dist'))
    await shows(' ! backend wants bash')
    type('es')
    clock.advance(10)
    await shows('yes')
    expect(control.calls).toEqual([])
  })

  it('gives a key that comes right after it appeared to the editor', async () => {
    const { control, shows, type, clock } = await openTeam()
    clock.advance(5)
    control.question('q1', 'backend', bash('rm -rf dist'))
    await shows('›! backend')
    type('yes')
    await shows(/^yes/m)
    expect(control.calls).toEqual([])
  })

  it('is not allowed before a long command was read to its end', async () => {
    const { control, shows, type, clock, called } = await openTeam()
    clock.advance(5)
    const lines = Array.from({ length: 60 }, (_, i) => `echo ${i}`)
    control.question('q1', 'backend', bash(lines.join('\n')))
    await shows('more lines: v shows all of it')
    clock.advance(1)
    type('y')
    await shows('echo 0', 'Read it to its end')
    type('y<pagedown>')
    await shows('echo 30')
    type('y')
    await shows('Read it to its end')
    expect(control.calls).toEqual([])
    type('<pagedown>')
    await shows('echo 59')
    type('y')
    await called('answer', 'q1', { allowed: true })
  })

  it('about a file shows the whole change in colour', async () => {
    const { control, shows, clock, terminal } = await openTeam()
    clock.advance(5)
    control.question('q1', 'backend', {
      ...{ kind: 'permission', tool: 'edit_file', why: 'writing needs permission', rules: [] },
      input: { path: 'src/a.ts', old_text: 'const a = 1\n', new_text: 'const a = 2\n' },
      action: { kind: 'write', tool: 'edit_file', path: 'src/a.ts' },
    })
    await shows('wants edit_file src/a.ts', '- const a = 1', '+ const a = 2')
    expect(terminal.written).toContain('\x1b[32m  + const a = 2')
  })

  it('that was answered elsewhere is gone', async () => {
    const { control, shows, hides, clock } = await openTeam()
    clock.advance(5)
    control.question('q1', 'backend', bash('npm publish'))
    await shows('wants bash')
    control.line('backend', { type: 'deskmates/question_closed', id: 'q1', outcome: 'denied' })
    await hides('wants bash')
  })

  it('rings and asks the desktop for a notice, once', async () => {
    const { control, shows, terminal } = await openTeam()
    control.question('q1', 'backend', bash('npm publish'))
    await shows('wants bash')
    control.delta('lead', 'text')
    await shows('text')
    expect(terminal.written.split('\x1b]9;backend wants bash: npm publish\x07').length).toBe(2)
    expect(terminal.written).toContain('\x1b]777;notify;deskmates;backend wants bash: npm publish\x07')
  })

  it('about a plan shows the whole plan and is approved with y', async () => {
    const { control, shows, type, clock, called } = await openTeam()
    clock.advance(5)
    control.question('q1', 'backend', { kind: 'plan', plan: '# Plan\n\n1. Read\n2. Write' })
    await shows('wants to begin with this plan', '2. Write')
    clock.advance(1)
    type('y')
    await called('answer', 'q1', { allowed: true })
  })
})
