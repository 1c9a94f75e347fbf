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

  it.for(['v', 's'])('still has the keys when the person only looked at it with the key %s', async (look) => {
    const knowledge = { savedRules: { path: '/home/u/settings.json', save: () => [] } }
    const { control, clock, shows, type, called } = await openScreen({ knowledge })
    clock.advance(5)
    control.question('q1', 'lead', bash('npm publish'))
    await shows('›! lead wants bash')
    clock.advance(1)
    type(look)
    await shows(look === 'v' ? 'asked because' : 'permissions.allow in', 'esc back · PgUp')
    type('<escape>')
    await shows('›! lead wants bash', /y once · a always · s save… · n no · v view · esc back +default mode/)
    type('n')
    await called('answer', 'q1', { allowed: false })
    expect(control.calls.map(([method]) => method)).toEqual(['answer'])
  })

  it('is answered only with its own keys, also in the view of a failed task', async () => {
    const { control, shows, type } = await openTeam(
      task('1', 'Publish'),
      claimed('1', 'backend'),
      failed('1', 'no token'),
    )
    await shows('#1 Publish failed: no token')
    type('<down>v')
    await shows('no token', 'esc back · PgUp')
    type('as')
    await shows('no token', 'esc back · PgUp')
    expect(control.calls).toEqual([])
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

  it('waits while the person types, and the screen says so', async () => {
    const { control, shows, hides, type, clock } = await openTeam()
    clock.advance(5)
    type('a<backspace>')
    control.question('q1', 'backend', bash('rm -rf dist'))
    await shows('A question waits until you stop typing · ↓ answer')
    clock.advance(2)
    await shows('›! backend')
    clock.advance(1)
    await shows('y once')
    await hides('A question waits')
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

describe('saving a rule', () => {
  async function openQuestion(
    about: QuestionLine['about'],
    save: (rules: readonly string[]) => readonly string[] = (rules) => rules,
  ) {
    const saved: (readonly string[])[] = []
    const open = await openScreen({
      knowledge: {
        savedRules: {
          path: '/home/u/.config/deskmates/settings.json',
          save(rules) {
            saved.push(rules)
            return save(rules)
          },
        },
      },
    })
    open.control.record(created, joined('backend', 'coder'))
    await open.shows('backend')
    open.clock.advance(5)
    open.control.question('q1', 'backend', about)
    await open.shows('›! backend wants')
    open.clock.advance(1)
    return { ...open, saved }
  }

  it('shows the rule and the file, and writes after the session took the answer', async () => {
    const { type, shows, called, saved } = await openQuestion(bash('npm publish'))
    type('s')
    await shows('save a rule', '/home/u/.config/deskmates/settings.json', '"bash(npm publish:*)"', 'all your projects')
    expect(saved).toEqual([])
    type('y')
    await called('answer', 'q1', { allowed: true, saved: true })
    await shows('Written to /home/u/.config/deskmates/settings.json: bash(npm publish:*)')
    expect(saved).toEqual([['bash(npm publish:*)']])
  })

  it('writes nothing when the person goes back', async () => {
    const { type, shows, hides, control, saved } = await openQuestion(bash('npm publish'))
    type('s')
    await shows('save a rule')
    type('n<escape>')
    await hides('save a rule')
    expect([control.calls, saved]).toEqual([[], []])
  })

  it('writes nothing that the session does not accept', async () => {
    const { type, shows, control, saved } = await openQuestion(bash('npm publish'))
    control.refuse('answer', 'Do it in the terminal of the session.')
    type('s')
    await shows('save a rule')
    type('y')
    await shows('Do it in the terminal of the session.')
    expect(saved).toEqual([])
  })

  it('names a file by its absolute path, since the rule holds in every project', async () => {
    const { type, shows } = await openQuestion({
      ...{
        kind: 'permission',
        tool: 'write_file',
        input: { path: 'src/a.js', content: 'x' },
        why: 'no rule allows it',
      },
      ...{ action: { kind: 'write', tool: 'write_file', path: 'src/a.js' }, rules: ['write_file'] },
    })
    type('s')
    await shows('"edit(//shop/src/a.js)"')
  })

  it('says so when the file cannot be changed', async () => {
    const { type, shows } = await openQuestion(bash('npm publish'), () => {
      throw new Error('settings.json:1:2: this is not JSON.')
    })
    type('s')
    await shows('save a rule')
    type('y')
    await shows('It is allowed for this session, and no rule was written. settings.json:1:2')
  })

  it('is for the terminal of the session', async () => {
    const { control, clock, shows, type } = await openTeam()
    clock.advance(5)
    control.question('q1', 'backend', bash('npm publish'))
    await shows('›! backend wants')
    clock.advance(1)
    type('s')
    await shows('session with --control full')
    expect(control.calls).toEqual([])
  })

  it('is not offered where no rule can allow it', async () => {
    const { type, shows, saved, control } = await openQuestion({ ...bash('echo $(date)'), rules: [] } as never)
    const screen = await shows('y once')
    expect(screen).not.toContain('save rule')
    type('s')
    await shows(/^s *$/m)
    expect([saved, control.calls]).toEqual([[], []])
  })
})
