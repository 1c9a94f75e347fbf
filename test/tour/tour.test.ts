import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Call } from '../../src/cli/context.ts'
import { perform } from '../../src/cli/tour/perform.ts'
import { type Story, theStory } from '../../src/cli/tour/story.ts'
import { systemClock } from '../../src/ports/clock.ts'
import type { EventOf, EventType } from '../../src/team/event.ts'
import { readRawJournal } from '../storms/raw-journal.ts'
import { buildCli, cli, type Home, makeHome } from './tour-process.ts'

beforeAll(buildCli)

// Only against hanging: three tours at once on a busy machine take their time.
describe.concurrent('the tour', { timeout: 180_000 }, () => {
  it('says nothing that is not in the journal, read by its documented format alone', async () => {
    using home = makeHome()
    const dir = join(home.top, 'a new folder')
    const { code, stdout, stderr } = await home.run(process.execPath, [cli, 'tour', '--json', '--dir', dir])
    expect(stderr).toBe('')
    expect(code).toBe(0)
    const told = JSON.parse(stdout)
    const { of, claims } = readEvents(dir)

    expect(claims('1')[0]).toMatchObject({ owner: told.race.winner })
    expect([told.race.winner, ...told.race.told].sort()).toEqual(['ada', 'bob', 'cleo'])
    const refused = of('message.sent').filter(({ message }) => message.refused === 'files_overlap')
    expect(refused.map(({ message }) => message.from)).toContain(told.overlap.member)
    const [answer] = of('message.sent').filter(({ message }) => message.answers !== undefined)
    expect(answer?.message).toMatchObject({ from: told.asked.to, to: told.asked.from, content: told.asked.answer })

    expect(told.kill).toMatchObject({ member: 'cleo', signal: 'SIGKILL', task: '6', finishedBy: 'cleo' })
    expect(of('task.released')).toContainEqual({ type: 'task.released', id: '6', end: 'lease ended' })
    expect(claims('6').length).toBe(1 + of('task.released').filter(({ id }) => id === '6').length)
    expect(of('external.received').map(({ message }) => message.content)).toEqual([told.door.content])

    const done = of('task.completed').map(({ id }) => id)
    expect(done.sort()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8'])
    expect(told.tasks).toEqual({ total: 8, completed: 8, lost: 0, doubled: 0 })
    expect(told.messages).toMatchObject({ lost: 0, doubled: 0, unread: 0, external: 1 })
    expect(told.messages.sent).toBe(of('message.sent').length + 1)
    expect(told).toMatchObject({ ok: true, kills: 1, check: { ok: true, torn: 0 }, claims: { doubled: 0 } })
    expect(readFileSync(join(dir, 'RELEASE.md'), 'utf8')).toContain('2 passed')
  })

  it('ends with commands that work as they stand', async () => {
    using home = makeHome()
    const { code, stdout } = await home.run(process.execPath, [cli, 'tour'])
    expect(code).toBe(0)
    expect(stdout).toContain('deskmates check: all is well')
    expect(stdout, 'no colours in a pipe').not.toContain('\x1b')
    expect(Math.max(...narrated(stdout).map((line) => line.length))).toBeLessThanOrEqual(80)
    const commands = stdout.split('\n').filter((line) => line.startsWith('  bin/deskmates '))
    expect(commands.length).toBeGreaterThan(4)
    for (const command of commands) expect(await home.run('sh', ['-c', command]), command).toMatchObject({ code: 0 })
  })

  it('settles with other names, another member, other priorities and another rhythm too', async () => {
    using home = makeHome()
    const seed = 7
    const story: Story = {
      ...theStory,
      team: 'atelier',
      members: [
        { name: 'Zoe', role: 'docs' },
        { name: 'yann', role: 'backend' },
        { name: 'xenia', role: 'frontend' },
        { name: 'will', role: 'tester' },
      ],
      tasks: theStory.tasks.map((task, i) => ({
        ...task,
        subject: `Step ${i + 1}, renamed`,
        priority: (i * seed) % 10,
      })),
      late: { ...theStory.late, to: 'xenia' },
    }
    const summary = await perform(quietCall(home), { story, dir: folder(home), cli, seed, pace: 10 })
    expect(summary).toMatchObject({ kill: { member: 'Zoe' }, asked: { from: 'xenia', to: 'yann' }, kills: 1 })
    expect(summary.race.told).toHaveLength(3)
    expect(summary.tasks).toEqual({ total: 8, completed: 8, lost: 0, doubled: 0 })
  })

  it('fails and names it when something did not happen', async () => {
    using home = makeHome()
    const story: Story = { ...theStory, cycle: { task: '7', waitsFor: '1' } }
    const playing = perform(quietCall(home), { story, dir: folder(home), cli, seed: 1, pace: 10 })
    await expect(playing).rejects.toMatchObject({ code: 'tour_failed', message: expect.stringContaining('refused.') })
  })

  it('takes its processes along when it is interrupted', async () => {
    using home = makeHome()
    const on = { text: 'takes #1', signal: 'SIGINT' } as const
    const { code, stderr } = await home.run(process.execPath, [cli, 'tour'], on)
    expect(code).toBe(130)
    const [dir = ''] = /\/\S*deskmates-tour-\w+$/m.exec(stderr.trim()) ?? []
    const before = readFileSync(journal(dir, 'tour'), 'utf8')
    const check = await home.run(process.execPath, [cli, '--cwd', dir, '--team', 'tour', 'check', '--json'])
    expect(JSON.parse(check.stdout)).toMatchObject({ ok: true })
    expect(readFileSync(journal(dir, 'tour'), 'utf8'), 'nobody is left who writes').toBe(before)
  })

  it('leaves a folder alone that holds something', async () => {
    using home = makeHome()
    writeFileSync(join(home.top, 'NAME'), 'mine')
    const { code, stderr } = await home.run(process.execPath, [cli, 'tour', '--dir', home.top])
    expect(code).toBe(2)
    expect(stderr).toContain('is not empty')
    expect(existsSync(join(home.top, '.teams'))).toBe(false)
  })
})

function journal(dir: string, team: string): string {
  return join(dir, '.teams', team, 'journal.jsonl')
}

function readEvents(dir: string) {
  const { records, torn, malformed } = readRawJournal(journal(dir, 'tour'))
  expect({ torn, malformed }).toEqual({ torn: 0, malformed: [] })
  const events = records.filter(({ accepted }) => accepted).flatMap((record) => record.events)
  const of = <T extends EventType>(type: T) => events.filter((event): event is EventOf<T> => event.type === type)
  return { of, claims: (task: string) => of('task.claimed').filter(({ id }) => id === task) }
}

/** All but the commands at the end, which hold a path. */
function narrated(stdout: string): string[] {
  return stdout.slice(0, stdout.indexOf('All of it really happened')).split('\n')
}

function folder(home: Home): string {
  const dir = join(home.top, 'story')
  mkdirSync(dir)
  return dir
}

function quietCall({ top, env }: Home): Call {
  const silent = { write: (_: string, done: () => void) => done() }
  return {
    ...{ stdout: silent, stderr: silent, stdin: (async function* () {})(), env, cwd: top, isTerminal: false },
    signal: new AbortController().signal,
    clock: systemClock,
    globals: { json: false },
  }
}
