import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { openTeam } from '../../journal/team-handle.ts'
import { openFileStore } from '../../stores/files/store.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

const journal = () => join(cli.dir, '.teams', 'default', 'journal.jsonl')
const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Changes one byte in the first line that holds `text`, and returns the line's place. */
function damage(text: string): { line: number; offset: number } {
  const bytes = readFileSync(journal())
  const at = bytes.indexOf(text)
  bytes[at] = bytes[at]! ^ 1
  writeFileSync(journal(), bytes)
  const before = bytes.subarray(0, at).toString('latin1')
  return { line: before.split('\n').length, offset: before.lastIndexOf('\n') + 1 }
}

async function fill(): Promise<void> {
  await cli.ok('team join ada --role dev')
  await cli.ok(['task', 'add', 'Write the parser'])
  await cli.ok('task claim --as ada')
  await cli.ok('send ada needle')
  await cli.ok('task complete 1 --as ada')
}

describe('log', () => {
  it('prints one event per line, and the text of a message in one of them only', async () => {
    await fill()
    await cli.ok('inbox ada --take')
    const events = lines(await cli.ok('log --json'))
    expect(events.map(({ type }) => type)).toEqual([
      'team.created',
      'member.joined',
      'token.issued',
      'task.created',
      'task.claimed',
      'message.sent',
      'task.completed',
      'mail.taken',
      'message.delivered',
    ])
    expect(events[4]).toMatchObject({ by: 'ada', id: '1', owner: 'ada', at: cli.clock.now() })
    expect(
      events.every(
        ({ seq, record }, i) => record && (i === 0 || seq > events[i - 1].seq || record === events[i - 1].record),
      ),
    ).toBe(true)
    expect(JSON.stringify(events).split('needle')).toHaveLength(2)
    expect(await cli.ok('log')).toContain('ada       claimed task 1\n')
  })

  it('answers whether a message arrived, and in which turn of its reader', async () => {
    await cli.ok('team create default')
    const { id } = await cli.json('send lead needle')
    expect(await cli.ok(`log --grep ${id}`)).toMatch(/^\S+ \S+ {2}user {6}→ lead: needle\n$/)
    {
      await using store = await openFileStore({ dir: cli.dir })
      await using team = await openTeam(store, 'default')
      await team.acknowledge('lead', [id], null, { by: { name: 'lead' }, turn: '01TURN' })
    }
    expect(await cli.ok(`log --grep ${id}`)).toContain('1 message of lead read (turn 01TURN of its transcript)\n')
    expect(lines(await cli.ok(`log --json --grep ${id}`)).at(-1)).toMatchObject({ ids: [id], turn: '01TURN' })
  })

  it('starts after a seq, and filters by text and by member', async () => {
    await fill()
    const events = lines(await cli.ok('log --json'))
    expect(lines(await cli.ok(`log --json --from ${events[4].seq}`))).toEqual(events.slice(5))
    expect(lines(await cli.ok('log --json --grep NEEDLE'))).toEqual([events[5]])
    expect(lines(await cli.ok('log --json --member ADA')).map(({ type }) => type)).toEqual([
      'member.joined',
      'token.issued',
      'task.claimed',
      'message.sent',
      'task.completed',
    ])
    expect((await cli.run('log --grep nothing-like-it')).stderr).toContain('No matching events')
  })

  it('names the changed fields of a task', async () => {
    await fill()
    await cli.ok('task add later')
    await cli.ok('task update 2 --assignee ada --priority 9')
    expect(await cli.ok('log --grep ada')).toContain('user      changed assignee, priority of task 2\n')
  })

  it('--follow keeps printing new events until it is interrupted', async () => {
    await fill()
    const stop = new AbortController()
    let seen = ''
    const stdout = {
      write(text: string, done: () => void) {
        seen += text
        if (seen.includes('later')) stop.abort()
        done()
      },
    }
    const following = cli.run('log --follow --grep a', { stdout, signal: stop.signal })
    await cli.ok('task add later')
    expect((await following).code).toBe(0)
    expect(seen).toContain('added task 2: later')
  })

  it('--follow ends with 0 when the team is deleted', async () => {
    await fill()
    let deleting: Promise<string> | undefined
    let seen = ''
    const stdout = {
      write(text: string, done: () => void) {
        seen += text
        if (seen.includes('added task 1')) deleting ??= cli.ok('team delete default')
        done()
      },
    }
    const { code, stderr } = await cli.run('log --follow', { stdout })
    expect({ code, stderr: stderr.replace('The team was deleted.\n', '') }).toEqual({ code: 0, stderr: '' })
    await deleting
    // It may have been put away before it could be read to its end.
    expect(seen + stderr).toMatch(/deleted the team|The team was deleted/)
  })

  it('--member accepts current and former members, and refuses other names with a list of members', async () => {
    await fill()
    await cli.ok('team leave ada')
    expect(await cli.ok('log --member ada')).toContain('joined')
    for (const name of ['user', 'lead']) expect((await cli.run(`log --member ${name}`)).code).toBe(0)
    for (const words of ['log', 'log --all', 'log --follow']) {
      const { code, stdout, stderr } = await cli.run(`${words} --member ghost`)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toContain('No member of this team is called ghost. Members: lead.')
    }
    // Mail may come from outside, by any name.
    appendFileSync(join(cli.dir, '.teams', 'default', 'inbox', 'lead.jsonl'), '{"from":"cron","content":"tick"}\n')
    await cli.ok('inbox lead')
    expect(await cli.ok('log --member cron')).toContain('tick')
  })

  it('--all adds records that did not count', async () => {
    await fill()
    const [first] = readFileSync(journal(), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
    appendFileSync(journal(), `\n${first}\n\n{"v":1,"id":"half`)
    await cli.ok('task add x')
    expect(lines(await cli.ok('log --json')).filter(({ type }) => type === 'team.created')).toHaveLength(1)
    const all = lines(await cli.ok('log --json --all'))
    expect(all.filter(({ verdict }) => verdict === 'repeated')).toMatchObject([{ type: 'team.created' }])
    expect(all.filter(({ verdict }) => verdict === 'torn')).toHaveLength(1)
    expect(await cli.ok('log --all')).toContain('repeated made team default')
    const report = await cli.json('check')
    expect(report).toMatchObject({ ok: true, repeated: 1, torn: 1, problems: [] })
  })
})

describe('check', () => {
  it('finds nothing wrong with a healthy team', async () => {
    await fill()
    const report = await cli.json('check')
    expect(report).toEqual({
      team: 'default',
      path: journal(),
      ok: true,
      records: 6,
      refused: 0,
      repeated: 0,
      torn: 0,
      problems: [],
      views: [],
      notes: [],
    })
    expect(await cli.ok('check')).toContain('All is well.')
  })

  it('notes lines in the inbox file of a name that no member has, until a member with it joins', async () => {
    await fill()
    const line = '{"from":"ci","content":"main is red"}\n'
    for (const name of ['ghost', 'lead', 'user', 'ada'])
      appendFileSync(join(cli.dir, '.teams', 'default', 'inbox', `${name}.jsonl`), line)
    const { ok, notes } = await cli.json('check')
    expect({ ok, notes }).toEqual({
      ok: true,
      notes: [expect.stringContaining('ghost.jsonl: this team has no member ghost')],
    })
    expect(await cli.ok('check')).toMatch(/note: .*ghost joins\n(.*\n)*All is well/)
    await cli.ok('team join ghost --role dev')
    expect(await cli.json('inbox ghost')).toMatchObject([{ content: 'main is red' }])
    expect((await cli.json('check')).notes).toEqual([])
  })

  it('reports that there is no team yet, and creates nothing', async () => {
    for (const words of ['check', 'check --repair']) {
      const { code, stdout } = await cli.run(words)
      expect({ words, code }).toEqual({ words, code: 0 })
      expect(stdout).toContain('There is no team default yet. See: deskmates team list')
      expect(stdout).not.toContain('All is well')
      expect(stdout).not.toContain('rebuilt')
      expect(await cli.json(words)).toMatchObject({ team: 'default', ok: true, records: 0, problems: [] })
    }
    expect(readdirSync(cli.dir)).toEqual([])
  })

  it('names a journal that lost its end, because its views have shown more', async () => {
    await fill()
    const whole = readFileSync(journal())
    writeFileSync(journal(), whole.subarray(0, whole.length - 20))
    const { code, stdout } = await cli.run('check')
    expect(code).toBe(1)
    expect(stdout).toContain('cut off: the journal ends here')
    expect(stdout).toContain('1 torn')
    expect(await cli.ok('check --repair')).toContain('All is well.')
  }) // F1

  it('lets no process write to a journal that lost its end until it is repaired', async () => {
    await cli.ok('task add a')
    const whole = readFileSync(journal())
    await cli.ok('task add b')
    writeFileSync(journal(), whole)
    const place = `byte ${whole.length}`
    for (let i = 0; i < 2; i++) {
      expect(await cli.refused('task add c')).toBe('journal_read_only')
      expect((await cli.run('task add c')).stderr).toContain('deskmates check --repair')
      const { code, stdout, stderr } = await cli.run('task list')
      expect({ code, hasA: stdout.includes('a'), named: stderr.includes(place) }).toEqual({
        ...{ code: 0, hasA: true, named: true },
      })
      expect((await cli.run('check')).code).toBe(1)
    }
    expect(readFileSync(journal())).toEqual(whole)
    expect(await cli.ok('check --repair')).toContain('All is well.')
    expect(readdirSync(join(cli.dir, '.tasks', 'default'))).toEqual(['1.json'])
    await cli.ok('task add c')
    expect(await cli.json('check')).toMatchObject({ ok: true, views: [] })
  }) // F1

  it.for(['emptied', 'removed'])(
    'names a journal that was %s, and no process starts another in its place',
    async (how) => {
      await cli.ok('team create web')
      for (const team of ['default', 'web']) {
        await cli.ok(`task add a --team ${team}`)
        const path = join(cli.dir, '.teams', team, 'journal.jsonl')
        if (how === 'emptied') writeFileSync(path, '')
        else rmSync(path)
        const { code, stdout } = await cli.run(`check --team ${team}`)
        expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('cut off: the journal is empty') })
        expect(stdout).not.toContain('There is no team')
        expect((await cli.run(`task add b --team ${team}`)).code).toBe(1)
        expect(JSON.parse(cli.read('.tasks', team, '1.json'))).toMatchObject({ subject: 'a' })

        const { repaired } = await cli.json(`check --repair --team ${team}`)
        expect(repaired.lost).toEqual([expect.stringContaining('.teams/.deleted')])
        const away = readdirSync(join(cli.dir, '.teams', '.deleted')).find((name) => name.startsWith(team))
        expect(JSON.parse(cli.read('.teams', '.deleted', away!, 'tasks', '1.json'))).toMatchObject({ subject: 'a' })
      }
      await cli.ok('team create web')
      await cli.ok('task add fresh --team web')
      expect(await cli.json('check --team web')).toMatchObject({ ok: true, views: [] })
    },
  ) // F1

  it('names path, line and byte of damage, and repair keeps all that counts before it', async () => {
    await fill()
    const place = damage('task.claimed')
    const { code, stdout } = await cli.run('check')
    expect(code).toBe(1)
    expect(stdout).toContain(`${journal()}:${place.line} (byte ${place.offset}): damaged: its sum does not fit`)
    expect((await cli.run('task list')).stderr).toContain(`${journal()}:${place.line} (byte ${place.offset}): damaged`)
    expect(await cli.refused('task add y')).toBe('journal_read_only')

    const id = lines(await cli.ok('log --json'))[0].record
    const report = await cli.json('check --repair')
    expect(report).toMatchObject({ ok: true, records: 2 })
    expect(report.repaired.lost).toHaveLength(2)
    expect(report.repaired.lost.join('\n')).toContain('task.completed')
    expect(report.repaired.damaged).toMatch(/^journal\.[0-9A-Z]{26}\.damaged$/)
    expect(readdirSync(join(cli.dir, '.teams', 'default'))).toContain(report.repaired.damaged)
    const [restored] = lines(await cli.ok('log --json'))
    expect(restored).toMatchObject({ type: 'team.restored', record: id, from: report.repaired.damaged })
    // The claim is lost with its line; the message, which needs no decision, is not.
    expect(await cli.json('task list')).toMatchObject([{ id: '1', status: 'pending' }])
    expect(await cli.json('inbox ada')).toMatchObject([{ content: 'needle' }])
    await cli.ok('task claim --as ada')
    expect((await cli.run('check')).code).toBe(0)
  })

  it('damage that changes nothing is named too, and repair loses only that line', async () => {
    await fill()
    damage('needle')
    expect((await cli.run('check')).code).toBe(1)
    await cli.ok('task add y')
    const report = await cli.json('check --repair')
    expect(report.repaired.lost).toHaveLength(1)
    expect(await cli.json('task list')).toMatchObject([{ status: 'completed', owner: 'ada' }, { subject: 'y' }])
  })

  it('--repair leaves views that follow the new journal, which is shorter than the old one', async () => {
    await fill()
    for (let i = 0; i < 5; i++) await cli.ok(['send', 'ada', 'x'.repeat(2000)])
    await cli.ok('inbox ada --take')
    await cli.ok('task add first')
    await cli.ok('send ada needle')
    damage('needle')
    await cli.ok('check --repair')
    await cli.ok('task update 2 --subject second')
    expect(JSON.parse(cli.read('.tasks', 'default', '2.json'))).toMatchObject({ subject: 'second' })
    expect(await cli.json('check')).toMatchObject({ ok: true, views: [] })
  })

  it('repairs a journal whose first line is gone by creating the team again', async () => {
    await fill()
    damage('team.created')
    expect((await cli.run('check')).code).toBe(1)
    expect((await cli.json('check --repair')).repaired.lost.length).toBeGreaterThan(3)
    expect(await cli.json('team show')).toMatchObject({ name: 'default', members: [{ name: 'lead' }] })
    await cli.ok('task add again')
  })

  it('names a broken invariant and its line', async () => {
    await fill()
    await using store = await openFileStore({ dir: cli.dir })
    const team = await openTeam(store, 'default')
    await team.refresh()
    await cli.ok('task add a --files src')
    await cli.ok('task add b --files src/x')
    await cli.ok('team join bob --role dev')
    await cli.ok('task claim 2 --as ada')
    // Written by hand past every decision: a claim that overlaps.
    const claimed = { type: 'task.claimed' as const, id: '3', owner: 'bob', generation: 1, lease: null }
    await team.report([claimed])
    await team.close()
    const report = await cli.run('check --json')
    expect(report.code).toBe(1)
    expect(JSON.parse(report.stdout).problems).toMatchObject([
      { kind: 'broken invariant', detail: 'tasks 2 and 3 are both held and overlap: src and src/x' },
    ])
    expect((await cli.run('check --repair')).code).toBe(1)
  })

  it('reports nothing after the next write, which corrects a view that was changed by hand', async () => {
    await fill()
    const view = join(cli.dir, '.tasks', 'default', '1.json')
    const good = readFileSync(view, 'utf8')
    writeFileSync(view, good.replace('Write the parser', 'Write the printer'))
    expect((await cli.json('check')).views).toHaveLength(1)
    await cli.ok('task add other')
    expect(readFileSync(view, 'utf8')).toBe(good)
    expect((await cli.json('check')).views).toEqual([])
  }) // A39

  it('--repair rebuilds views that were damaged by hand', async () => {
    await fill()
    const view = join(cli.dir, '.tasks', 'default', '1.json')
    const good = JSON.parse(readFileSync(view, 'utf8'))
    writeFileSync(view, '{"broken')
    const { code, stdout } = await cli.run('check')
    expect(code).toBe(0)
    expect(stdout).toContain('to be rebuilt')
    expect(await cli.json('task list')).toHaveLength(1)
    expect((await cli.json('check --repair')).views).toEqual([])
    expect(JSON.parse(readFileSync(view, 'utf8'))).toEqual(good)
  }) // A39, F23
})
