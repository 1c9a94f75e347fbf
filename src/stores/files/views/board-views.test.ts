import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ulid } from 'ulid'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordingDisk } from '../../../testing/faulty-disk.ts'
import { type TeamHarness, teamHarness } from '../../../testing/harnesses/team-harness.ts'
import { realDisk } from '../disk.ts'
import { type BoardViews, openBoardViews } from './board-views.ts'

let dir: string
let world: TeamHarness
let warnings: string[]
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'deskmates-views-'))
  mkdirSync(join(dir, '.teams/web'), { recursive: true })
  world = teamHarness('web')
  warnings = []
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const open = (disk = realDisk) =>
  openBoardViews({ dir, team: 'web', disk, warn: (message) => warnings.push(message), ids: ulid, now: Date.now })
const cursor = () => ({ seq: world.journal.length * 10, id: '', last: '' })
const showIn = (views: BoardViews, state = world.state, at = cursor()) => views.show(state, at)
const show = (views = open()) => showIn(views)
const differences = () => open().differences(world.state, cursor())
const config = () => join(dir, '.teams/web/config.json')
const task = (id: string) => join(dir, `.tasks/web/${id}.json`)
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const journalOf = (size: number) => writeFileSync(join(dir, '.teams/web/journal.jsonl'), ' '.repeat(size))

describe('views of roster and board', () => {
  it('show the roster and each task as the journal has it, for this user only', () => {
    world.join('ada')
    world.add('first')
    world.add({ id: '03-01/T3', subject: 'planned', blockedBy: ['1'] })
    show()
    expect(read(config())).toEqual({
      team: 'web',
      description: '',
      seq: cursor().seq,
      members: [
        { name: 'lead', role: 'lead', kind: 'agent', status: 'idle', generation: 0 },
        { name: 'ada', role: 'dev', kind: 'external', status: 'idle', generation: 1 },
      ],
    })
    expect(read(task('1'))).toEqual(world.task('1'))
    expect(read(task('03-01/T3'))).toEqual(world.task('03-01/T3'))
    expect(readFileSync(config(), 'utf8')).toContain('\n  "team": "web"')
    for (const path of [config(), task('1'), task('03-01/T3')]) expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(dir, '.tasks')).mode & 0o777).toBe(0o700)
    expect(readFileSync(join(dir, '.tasks/.gitignore'), 'utf8')).toBe('*\n')
    expect(differences()).toEqual([])
  }) // F22, F34

  it('put a new board of many tasks in place at once, after every file was written', () => {
    for (let i = 0; i < 150; i++) world.add(`task ${i}`)
    const steps = open().steps(world.state, cursor())
    for (const step of steps.slice(0, -2)) step()
    expect(existsSync(join(dir, '.tasks'))).toBe(false)
    for (const step of steps.slice(-2)) step()
    expect(readdirSync(join(dir, '.tasks/web'))).toHaveLength(150)
    expect(statSync(join(dir, '.tasks/web')).mode & 0o777).toBe(0o700)
    expect(readdirSync(join(dir, '.teams/web'))).toEqual(['config.json'])
    expect(differences()).toEqual([])
  }) // F22, F34

  it('keep the newer files of another process that created the same board meanwhile', () => {
    for (let i = 0; i < 150; i++) world.add(`task ${i}`)
    const views = open()
    const steps = views.steps(world.state, cursor())
    for (const step of steps.slice(0, -2)) step()
    world.ok({ type: 'task.update', id: '2', subject: 'changed' })
    show()
    for (const step of steps.slice(-2)) step()
    expect(read(task('2')).subject).toBe('changed')
    expect(readdirSync(join(dir, '.teams/web'))).toEqual(['config.json'])
    showIn(views)
    expect(differences()).toEqual([])
  }) // F22

  it('are written by the next process when one was killed before it put its board in place', () => {
    for (let i = 0; i < 150; i++) world.add(`task ${i}`)
    for (const step of open().steps(world.state, cursor()).slice(0, 100)) step()
    show()
    expect(differences()).toEqual([])
    const later = { ids: ulid, now: () => Date.now() + 3_600_000, warn: () => {} }
    openBoardViews({ dir, team: 'web', disk: realDisk, ...later }).repair(world.state, cursor())
    expect(readdirSync(join(dir, '.teams/web'))).toEqual(['config.json'])
  }) // F22, F34

  it('are written into the new board by the next update when a step failed', () => {
    for (let i = 0; i < 150; i++) world.add(`task ${i}`)
    let isFull = false
    const disk = {
      ...realDisk,
      writeSync(fd: number, bytes: Uint8Array) {
        if (isFull) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })
        return realDisk.writeSync(fd, bytes)
      },
    }
    const views = open(disk)
    const steps = views.steps(world.state, cursor())
    for (const step of steps.slice(0, 50)) step()
    isFull = true
    expect(() => steps[50]!()).toThrow('ENOSPC')
    isFull = false
    showIn(views)
    expect(readdirSync(join(dir, '.teams/web'))).toEqual(['config.json'])
    expect(differences()).toEqual([])
  }) // F22, F34

  it('follow every change of a task and of its neighbours, in one process and over many', () => {
    world.join('ada')
    const views = open()
    const steps = [
      () => world.add('one'),
      () => world.add({ subject: 'two', blockedBy: ['1'] }),
      () => world.add({ subject: 'three', blockedBy: ['1', '2'] }),
      () => world.add({ id: '03-01/T1', subject: 'planned' }),
      () => world.add({ subject: 'after the plan', blockedBy: ['03-01'] }),
      () => world.ok({ type: 'task.claim', id: '1' }, 'ada'),
      () => world.ok({ type: 'task.complete', id: '1' }, 'ada'),
      () => world.ok({ type: 'task.update', id: '3', removeBlockedBy: ['2'] }),
      () => world.ok({ type: 'task.claim', id: '03-01/T1' }, 'ada'),
      () => world.ok({ type: 'task.complete', id: '03-01/T1' }, 'ada'),
      () => world.ok({ type: 'task.update', id: '1', status: 'pending' }),
      () => world.ok({ type: 'task.claim', id: '1' }, 'ada'),
      () => world.ok({ type: 'task.fail', id: '1', reason: 'no access' }, 'ada'),
      () => world.ok({ type: 'task.update', id: '1', status: 'pending' }),
      () => world.ok({ type: 'task.update', id: '03-01/T1', status: 'pending' }),
      () => world.ok({ type: 'task.claim', id: '03-01/T1' }, 'ada'),
      () => world.ok({ type: 'task.fail', id: '03-01/T1', reason: 'no access' }, 'ada'),
      () => world.add({ id: '03-01/T2', subject: 'planned too' }),
      () => world.ok({ type: 'task.claim', id: '03-01/T2' }, 'ada'),
      () => world.ok({ type: 'task.complete', id: '03-01/T2' }, 'ada'),
      () => world.ok({ type: 'task.update', id: '03-01/T1', status: 'pending' }),
      () => world.ok({ type: 'task.claim', id: '03-01/T1' }, 'ada'),
      () => world.ok({ type: 'task.complete', id: '03-01/T1' }, 'ada'),
      () => world.ok({ type: 'task.update', id: '2', status: 'deleted', detach: true }),
      () => world.add('four'),
      () => world.ok({ type: 'task.update', id: '3', status: 'deleted' }),
    ]
    for (const [i, step] of steps.entries()) {
      step()
      show(i % 3 === 0 ? open() : views)
      expect(differences(), `after step ${i}`).toEqual([])
    }
    expect(existsSync(task('2'))).toBe(false)
    expect(readdirSync(join(dir, '.tasks/web')).sort()).toEqual(['03-01', '1.json', '4.json', '5.json'])
  })

  it('leave the files of tasks that wait for a plan alone while other tasks of the plan are open', () => {
    world.join('ada')
    const planned = Array.from({ length: 3 }, (_, i) => ({ id: `03-01/T${i + 1}`, subject: `planned ${i}` }))
    const waiting = Array.from({ length: 200 }, (_, i) => ({ subject: `task ${i}`, blockedBy: ['03-01'] }))
    world.ok({ type: 'task.add', tasks: [...planned, ...waiting] })
    const disk = recordingDisk()
    const views = open(disk)
    show(views)
    const callsFor = (id: string) => {
      const before = disk.calls.length
      world.ok({ type: 'task.claim', id }, 'ada')
      world.ok({ type: 'task.complete', id }, 'ada')
      show(views)
      return disk.calls.length - before
    }
    expect(callsFor('03-01/T1')).toBeLessThan(15)
    expect(callsFor('03-01/T2')).toBeLessThan(15)
    expect(callsFor('03-01/T3'), 'the plan is complete').toBeGreaterThan(200)
    expect(differences()).toEqual([])
  }) // C53

  it('write a handful of files when one of thousands of tasks changed', () => {
    world.ok({ type: 'task.add', tasks: Array.from({ length: 1600 }, (_, i) => ({ subject: `task ${i}` })) })
    world.join('ada')
    show()
    world.ok({ type: 'task.claim', id: '1500' }, 'ada')
    const disk = recordingDisk()
    const views = open(disk)
    show(views)
    expect(disk.calls.length).toBeLessThan(20)
    expect(read(task('1500'))).toMatchObject({ status: 'in_progress', owner: 'ada' })

    const before = disk.calls.length
    world.ok({ type: 'task.complete', id: '1500' }, 'ada')
    show(views)
    expect(disk.calls.length - before).toBeLessThan(15)
    const after = disk.calls.length
    show(views)
    expect(disk.calls.length).toBe(after)
  })

  it.each<[string, () => unknown, RegExp | undefined]>([
    ['config.json is missing', () => rmSync(config()), undefined],
    ['config.json is broken', () => writeFileSync(config(), '{"team":'), /config\.json could not be read/],
    ['config.json is empty', () => writeFileSync(config(), ''), /config\.json could not be read/],
    ['config.json is no object', () => writeFileSync(config(), '[1]'), /config\.json could not be read/],
    ['config.json says no seq', () => writeFileSync(config(), '{"seq":"7"}'), /config\.json could not be read/],
    ['config.json is a folder', () => [rmSync(config()), mkdirSync(config())], /config\.json could not be read/],
    ['everything is missing', () => [rmSync(config()), rmSync(join(dir, '.tasks'), { recursive: true })], undefined],
    ['config.json is behind', () => writeFileSync(config(), '{"seq":10}'), undefined],
    ['config.json is ahead of the whole journal', () => writeFileSync(config(), '{"seq":99999}'), undefined],
    ['a changed task is broken', () => writeFileSync(task('2'), 'oops'), /2\.json could not be read/],
    ['a changed task is missing', () => rmSync(task('2')), undefined],
    ['an older task is missing', () => rmSync(task('1')), undefined],
  ])('are written again when %s', (_what, damage, warning) => {
    world.join('ada')
    world.add('one')
    world.add({ subject: 'two', blockedBy: ['1'] })
    show()
    damage()
    world.ok({ type: 'task.update', id: '2', subject: 'two, renamed' })
    show()
    expect(differences()).toEqual([])
    expect(warnings.length).toBe(warning ? 1 : 0)
    if (warning) expect(warnings[0]).toMatch(warning)
    const kept = [...readdirSync(join(dir, '.teams/web')), ...readdirSync(join(dir, '.tasks/web'))]
    expect(kept.filter((name) => name.endsWith('.broken'))).toHaveLength(warning ? 1 : 0)
  }) // F23

  it('are replaced by those of a restored older journal', () => {
    world.join('ada')
    world.add('one')
    show()
    const later = world
    later.ok({ type: 'task.claim', id: '1' }, 'ada')
    later.add('two')
    show()
    world = teamHarness('web')
    world.join('ada')
    world.add('one')
    journalOf(cursor().seq)
    show()
    expect(read(task('1'))).toMatchObject({ status: 'pending' })
    expect(existsSync(task('2'))).toBe(false)
    expect(differences()).toEqual([])
  })

  it('are not replaced by those of a process that lags behind', () => {
    world.join('ada')
    world.add('one')
    const older = cursor()
    const lagging = open()
    world.ok({ type: 'task.claim', id: '1' }, 'ada')
    journalOf(cursor().seq)
    show()
    const newer = readFileSync(config(), 'utf8')
    const behind = teamHarness('web')
    behind.join('ada')
    behind.add('one')
    showIn(lagging, behind.state, older)
    expect(readFileSync(config(), 'utf8')).toBe(newer)
    expect(read(task('1'))).toMatchObject({ status: 'in_progress' })
  })

  it('written in steps show the state of their planning, with the seq written last', () => {
    world.join('ada')
    world.add('one')
    world.add('two')
    const views = open()
    const planned = cursor()
    const steps = views.steps(world.state, planned)
    expect(steps).toHaveLength(3)
    world.ok({ type: 'task.claim', id: '2' }, 'ada')
    steps[0]!()
    expect([existsSync(task('1')), existsSync(task('2'))]).toEqual([true, false])
    steps[1]!()
    expect(read(task('2'))).toMatchObject({ status: 'pending' })
    expect(existsSync(config())).toBe(false)
    steps[2]!()
    expect(read(config())).toMatchObject({ seq: planned.seq })
    show(views)
    expect(read(task('2'))).toMatchObject({ status: 'in_progress' })
    expect(differences()).toEqual([])
  })

  it('written in steps do not replace newer files of another process', () => {
    world.join('ada')
    world.add('one')
    show()
    const behind = teamHarness('web')
    behind.join('ada')
    behind.add('one')
    behind.ok({ type: 'task.claim', id: '1' }, 'ada')
    const steps = open().steps(behind.state, { ...cursor(), seq: behind.journal.length * 10 })
    world.ok({ type: 'task.claim', id: '1' }, 'ada')
    world.ok({ type: 'task.complete', id: '1' }, 'ada')
    show()
    for (const step of steps) step()
    expect(read(task('1'))).toMatchObject({ status: 'completed' })
    expect(differences()).toEqual([])
  })

  it('that a dying process left unfinished are completed by the next one', () => {
    world.join('ada')
    world.add('one')
    world.add({ subject: 'two', blockedBy: ['1'] })
    world.add({ subject: 'three', blockedBy: ['1'] })
    show()
    world.ok({ type: 'task.claim', id: '1' }, 'ada')
    world.ok({ type: 'task.complete', id: '1' }, 'ada')
    const clean = recordingDisk()
    for (let calls = 0; ; calls++) {
      rmSync(join(dir, '.tasks'), { recursive: true })
      rmSync(config())
      const earlier = teamHarness('web')
      earlier.join('ada')
      earlier.add('one')
      earlier.add({ subject: 'two', blockedBy: ['1'] })
      earlier.add({ subject: 'three', blockedBy: ['1'] })
      showIn(open(), earlier.state, { ...cursor(), seq: earlier.journal.length * 10 })
      try {
        show(open(recordingDisk({ crashAfter: calls }, clean)))
        break
      } catch {
        show()
        expect(differences(), `died after ${calls} calls`).toEqual([])
      }
    }
    expect(clean.calls.length).toBeGreaterThan(0)
  })

  it('that differ are reported one by one, and repaired', () => {
    world.join('ada')
    for (const subject of ['one', 'two', 'three', 'four']) world.add(subject)
    show()
    writeFileSync(task('1'), 'oops')
    writeFileSync(task('2'), JSON.stringify({ ...world.task('2'), subject: 'edited', seq: 99999 }))
    rmSync(task('3'))
    writeFileSync(task('9'), JSON.stringify(world.task('4')))
    writeFileSync(config(), JSON.stringify({ ...read(config()), members: [] }))
    writeFileSync(`${task('4')}.${ulid(1)}.new`, '')
    writeFileSync(`${task('4')}.${ulid()}.new`, '')
    expect(differences()).toEqual([
      `${config()}: differs from the journal`,
      `${task('1')}: cannot be read`,
      `${task('2')}: differs from the journal`,
      `${task('3')}: missing`,
      `${task('9')}: there is no such task`,
    ])
    open().repair(world.state, cursor())
    expect(differences()).toEqual([])
    expect(warnings).toHaveLength(1)
    // Another process may be writing the younger one.
    expect(readdirSync(join(dir, '.tasks/web')).filter((name) => name.endsWith('.new'))).toHaveLength(1)
  })
})
