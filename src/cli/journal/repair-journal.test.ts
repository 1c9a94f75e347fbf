import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import type { LogRecord } from '../../journal/log/store.ts'
import { encode } from '../../stores/files/log/line.ts'
import { withTrailer } from '../../stores/files/log/trailer.ts'
import { taskView, teamView } from '../../team/answers/view.ts'
import { apply } from '../../team/apply.ts'
import { emptyState } from '../../team/state.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

const journal = () => join(cli.dir, '.teams', 'default', 'journal.jsonl')
const linesOf = (path: string) => readFileSync(path, 'utf8').split('\n').filter(Boolean)
const records = (): LogRecord[] => linesOf(journal()).map((line) => JSON.parse(line))
const isFact = (record: LogRecord) => record.after === undefined
const log = async () =>
  (await cli.ok('log --json'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
const contents = async (member: string): Promise<string[]> =>
  (await cli.json(`inbox ${member}`)).map(({ content }: { content: string }) => content)

/** Takes the first line that holds `text` out of the journal: a decision based on it names a missing record. */
function cut(text: string): void {
  const lines = linesOf(journal())
  const at = lines.findIndex((line) => line.includes(text))
  expect(at).toBeGreaterThanOrEqual(0)
  write(lines.toSpliced(at, 1))
}

function write(lines: readonly string[]): void {
  writeFileSync(journal(), lines.map((line) => `\n${line}\n`).join(''))
}

async function all(...commands: readonly string[]): Promise<void> {
  for (const words of commands) await cli.ok(words)
}

describe('a journal with a broken chain', () => {
  it('keeps the mail from behind the break after its repair, unchanged and in order', async () => {
    await all('team join ada --role dev', 'task add one', 'send ada before', 'task claim 1 --as ada')
    await all('task complete 1 --as ada', 'send ada first --command-id c1', 'task add two', 'send lead hi --from ada')
    await all('send ada second')
    const mail = records().filter(isFact).slice(1)
    cut('"task.claimed"')
    expect(await contents('ada')).toEqual(['before'])

    const { repaired, ...report } = await cli.json('check --repair')
    expect(repaired.kept).toBe(3)
    expect(repaired.lost).toEqual([
      expect.stringContaining('broken chain: task.completed'),
      expect.stringContaining('broken chain: task.created'),
    ])
    expect(report).toMatchObject({ ok: true, records: 5, problems: [], views: [] })
    expect(await contents('ada')).toEqual(['before', 'first', 'second'])
    const [said, repair, ...others] = await contents('lead')
    expect([said, others]).toEqual(['hi', []])
    for (const line of repaired.lost) expect(repair).toContain(`\n- ${line}\n`)
    expect(repair).toContain('was damaged and was repaired')
    expect(records().slice(1, -1)).toEqual(mail)
    expect((await log()).map(({ type, by }) => `${type} ${by}`)).toEqual([
      'team.restored user',
      'message.sent user',
      'message.sent ada',
      'message.sent user',
      'message.sent user',
    ])
    // No decision came back with it.
    expect(await cli.json('task list')).toMatchObject([{ id: '1', status: 'pending', attempts: 0 }])
    // It is still the same record: the command that wrote it is not carried out twice.
    await cli.ok('send ada first --command-id c1')
    expect(await contents('ada')).toEqual(['before', 'first', 'second'])
    expect(await cli.ok('check')).toContain('All is well.')
  }) // F1

  it('says how much was kept', async () => {
    await all('team join ada --role dev', 'task add one', 'task add two', 'send ada x')
    cut('"one"')
    expect(await cli.ok('check --repair')).toContain('Kept from behind the break: 1 line of mail and other facts.\n')
    expect(await cli.ok('check --repair')).not.toContain('Kept')
  })

  it('names mail to a member that joined behind the break; its text stays in the log', async () => {
    await all('task add one', 'task add two', 'team join bob --role dev', 'send bob needle', 'send all noon')
    cut('"one"')
    const { repaired } = await cli.json('check --repair')
    expect(repaired.kept).toBe(2)
    expect(repaired.lost.at(-1)).toMatch(
      /^line \d+ \(byte \d+\): bounced: message \S+ to bob: no member is called bob$/,
    )
    expect(repaired.lost).toHaveLength(3)
    expect(await log()).toMatchObject([{ lost: repaired.lost }, { message: { content: 'needle' } }, {}, {}])
    expect(await contents('lead')).toEqual(['noon', expect.stringContaining('no member is called bob')])
  })

  it('counts mail as read only where its taking still counts', async () => {
    await all('team join ada --role dev', 'send ada early', 'inbox ada --take', 'task add one', 'task add two')
    await all('send ada late', 'inbox ada --take')
    cut('"one"')
    expect((await cli.json('check --repair')).repaired.kept).toBe(2)
    expect(await contents('ada')).toEqual(['late'])
  }) // F2

  it('counts a fact once that is on both sides of the break, or twice behind it', async () => {
    await all('team join ada --role dev', 'send ada before', 'task add one', 'task add two', 'send ada behind')
    for (const line of linesOf(journal()).filter((line) => line.includes('"message.sent"')))
      appendFileSync(journal(), `\n${line}\n`)
    cut('"one"')
    expect((await cli.json('check --repair')).repaired.kept).toBe(1)
    expect(await contents('ada')).toEqual(['before', 'behind'])
  })

  it('accepts no decision that was written as a fact, and no unreadable fact', async () => {
    await all('team join ada --role dev', 'task add one', 'task add two', 'task add three', 'send ada x')
    const claimed = { type: 'task.claimed', id: '1', owner: 'ada', generation: 1, lease: null }
    const sent = { type: 'message.sent', message: { id: 'm', to: 'ada' } }
    for (const [id, event] of Object.entries({ forged: claimed, broken: sent }))
      appendFileSync(journal(), encode({ id, at: 1, by: { name: 'user' }, events: [event] })!.bytes)
    cut('"two"')
    const { repaired, ok } = await cli.json('check --repair')
    expect({ ok, kept: repaired.kept }).toEqual({ ok: true, kept: 1 })
    expect(repaired.lost.slice(-2)).toEqual([
      expect.stringContaining('broken chain: task.claimed (record forged)'),
      expect.stringContaining('broken chain: message.sent (record broken)'),
    ])
    expect(await cli.json('task list')).toMatchObject([{ id: '1', status: 'pending' }])
  })

  it('is left to a newer version if one wrote behind the break', async () => {
    await all('task add one', 'task add two')
    appendFileSync(journal(), `\n${withTrailer('{"v":2,"id":"later"').text}\n`)
    cut('"one"')
    const before = readFileSync(journal(), 'utf8')
    expect(await cli.refused('check --repair')).toBe('needs_newer')
    expect((await cli.run('check')).stdout).toContain('needs newer: a newer version of deskmates wrote it')
    expect(readFileSync(journal(), 'utf8')).toBe(before)
  })

  it('loses no mail and gains no decision, whichever decision is gone or damaged', async () => {
    await all('team join ada --role dev', 'team join bob --role qa', 'send ada m1', 'task add one', 'send bob m2')
    await all('task claim 1 --as ada', 'send lead m3 --from ada', 'inbox bob --take', 'task complete 1 --as ada')
    await all('send all m4', 'task add two', 'send bob m5', 'task claim 2 --as bob', 'send ada m6 --from bob')
    await all(
      'team join carl --role dev',
      'send carl m7',
      'task fail 2 --as bob --reason x',
      'send lead m8 --from carl',
    )
    const lines = linesOf(journal())
    const whole = records()
    const sent = whole.filter((record) => isFact(record) && JSON.stringify(record).includes('"message.sent"'))
    expect(sent).toHaveLength(8)
    const copy = join(cli.dir, 'copy')
    cpSync(join(cli.dir, '.teams', 'default'), copy, { recursive: true })

    const decisions = [...whole.keys()].filter((at) => !isFact(whole[at]!))
    for (const at of decisions.slice(0, -1)) {
      const flipped = lines[at]!.replace('"events":', '"evemts":')
      for (const rest of [lines.toSpliced(at, 1), lines.with(at, flipped)]) {
        rmSync(join(cli.dir, '.teams', 'default'), { recursive: true })
        cpSync(copy, join(cli.dir, '.teams', 'default'), { recursive: true })
        write(rest)
        const where = `line ${at + 1} of ${lines.length}`
        expect((await cli.run('check')).code, where).toBe(1)
        const { repaired, ok } = await cli.json('check --repair')
        expect(ok, where).toBe(true)
        expect(new Set(repaired.lost).size, where).toBe(repaired.lost.length)

        const state = emptyState()
        for (const [i, record] of whole.slice(0, at).entries()) apply(state, i, record)
        const board = [...state.tasks.values()].map((task) => ({ ...taskView(state, task), seq: 0 }))
        expect(await cli.json('task list'), where).toEqual(board)
        // Only members that joined can be written to; facts may repeat.
        const roster = (at === 0 ? [{ name: 'lead' }] : teamView(state).members).map(({ name }) => name)
        const { members } = await cli.json('team show')
        expect(members.map(({ name }: { name: string }) => name)).toEqual(roster)

        const unread = new Set((await Promise.all([...roster, 'user'].map(contents))).flat())
        for (const { id, events } of sent) {
          const [{ message }] = events as [{ message: { to: string; content: string } }]
          const isRead = message.content === 'm2' && at > whole.findIndex((record) => record.command === 'mail.take')
          const isNamed = repaired.lost.some((line: string) => line.includes(`bounced: message ${id} to ${message.to}`))
          const isReachable = message.to === 'all' || roster.includes(message.to)
          expect({ where, message, found: unread.has(message.content), isNamed }).toEqual({
            ...{ where, message, found: isReachable && !isRead, isNamed: !isReachable },
          })
        }
      }
    }
  }) // F1, F8
})
