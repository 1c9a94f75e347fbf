import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { header, task, writeLines } from '../../../test/cli/plan-files.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

const FILE = 'p/03-01.plan.jsonl'
const write = (...lines: object[]) => writeLines(cli.dir, FILE, ...lines)
function writeText(text: string): void {
  mkdirSync(join(cli.dir, 'p'), { recursive: true })
  writeFileSync(join(cli.dir, FILE), text)
}

/** What `plan check` says, without the name of the file: `2: "id" is missing`. */
async function problems(): Promise<string[]> {
  const { code, stdout } = await cli.run('plan check p')
  const lines = stdout.split('\n').filter((line) => line !== '')
  expect([code, lines.length > 0]).toEqual([1, true])
  return lines.map((line) => line.replace(`${join(cli.dir, FILE)}:`, '').replace(/\. .*/, ''))
}

describe('a plan file', () => {
  it('has a header and tasks with all their keys, which the developer reads on the board', async () => {
    const mh = { tr: ['users are listed'], ar: [{ p: 'src/users.ts' }], kl: [] }
    const optional = { xd: [], mh, eff: 'balanced', sk: ['sql'], fm: ['src/users.ts'], auto: true, later: 1 }
    const spec = { spec: 'GET /users', ts: 'answers 200', td: [], v: 'npm test', done: 'it answers' }
    write(header('01', { ...optional, t: 'Users', obj: 'Users can be listed' }), task('T1', spec), task('T2'))
    await cli.ok('plan check p')
    expect((await cli.json('plan show p')).plans).toMatchObject([{ plan: '03-01', title: 'Users', wave: 1, d: [] }])
    await cli.ok('plan load p')
    const shown = await cli.json('task show 03-01/T1')
    expect(shown).toMatchObject({ status: 'pending', owner: null, assignee: null, subject: 'Do T1', role: 'dev' })
    expect(shown.description.split('\n')).toEqual([
      ...['Do T1', 'Objective of the plan: Users can be listed', 'Specification: GET /users', 'Tests: answers 200'],
      ...['Verify: npm test', 'Done when: it answers'],
    ])
    expect((await cli.json('task show 03-01/T2')).description).not.toMatch(/Specification|Tests/)
  }) // C36, C41

  it('without its required keys is refused with each of them, in the header and in every task', async () => {
    writeText('{}\n{}\n{"id":"3","tp":"sometimes"}')
    const missing = (line: number, ...keys: string[]) => keys.map((key) => `${line}: "${key}" is missing`)
    expect((await problems()).sort()).toEqual(
      [
        ...missing(1, 'p', 'n', 't', 'obj', 'w', 'd', 'mh'),
        ...missing(2, 'id', 'tp', 'a', 'f', 'v', 'done'),
        ...missing(3, 'a', 'f', 'v', 'done'),
        ...['3: "id" is "3", not T1 to T999999', '3: "tp" is "sometimes"'],
      ].sort(),
    )
  }) // C37

  it('with a header that is not JSON is refused on that line, and its tasks are checked as tasks', async () => {
    writeText(`{"p":"03",\n${JSON.stringify(task('T1'))}\n${JSON.stringify(task('T2', { td: ['T9'] }))}`)
    expect(await problems()).toEqual([
      expect.stringMatching(/^1: the line is not JSON/),
      '3: "td" names "T9", which is not a task of this plan',
    ])
  }) // C37, C56

  it('may depend on no path outside, on no later wave, and not on itself', async () => {
    write(header('01', { w: 2, d: ['03-01', '03-02'] }), task('T1', { f: ['/etc/x', 'a/../../x'] }))
    writeLines(cli.dir, 'p/03-02.plan.jsonl', header('02', { w: 2 }))
    expect(await problems()).toEqual([
      '1: plan 03-01 waits for itself',
      '1: plan 03-02 is in wave 2, and this plan, which waits for it, in wave 2',
      '2: "f" names "/etc/x", which is absolute',
      '2: "f" names "a/../../x", which does not stay inside the workspace',
    ])
  }) // C37

  it('with one task is read without a final newline, and is empty only with a header alone', async () => {
    const text = [header('01'), task('T1')].map((line) => JSON.stringify(line)).join('\n')
    expect(text.endsWith('\n')).toBe(false)
    for (const end of ['', '\n', '\r\n\r\n']) {
      writeText(`${text}${end}`)
      expect((await cli.json('plan show p')).plans[0].groups).toEqual([{ group: 1, tasks: ['T1'] }])
    }
    writeText(text)
    expect((await cli.json('plan load p')).plans).toEqual([{ plan: '03-01', tasks: 1 }])
    expect(await cli.json('task list')).toMatchObject([{ id: '03-01/T1' }])
    writeText(JSON.stringify(header('01')))
    expect((await cli.json('plan show p')).plans[0].groups).toEqual([])
    await cli.ok('plan check p')
  }) // C37, C55, C56, F43
})

describe('the dependencies of a plan file', () => {
  it('are shown in groups of the order of the file, and a dependency that is listed twice counts once', async () => {
    const again = { td: ['T1', 'T1'] }
    write(header('01'), task('T10', again), task('T2'), task('T1'), task('T4', { td: ['T10', 'T2', 'T10'] }))
    await cli.ok('plan check p')
    expect((await cli.json('plan show p')).plans[0].groups).toEqual([
      { group: 1, tasks: ['T2', 'T1'] },
      { group: 2, tasks: ['T10'] },
      { group: 3, tasks: ['T4'] },
    ])
    expect(await cli.ok('plan show p')).toMatch(/T10 +Do T10 ← T1\n.*T4 +Do T4 ← T10, T2\n/)
    await cli.ok('plan load p')
    expect((await cli.json('task show 03-01/T10')).blockedBy).toEqual(['03-01/T1'])
    expect((await cli.json('task show 03-01/T4')).blockedBy).toEqual(['03-01/T10', '03-01/T2'])
  }) // C52, C55, C56, F42

  it('hold a task until every one is completed, whatever tasks of that number other plans have', async () => {
    write(header('01'), task('T1'), task('T2'), task('T3', { td: ['T1', 'T2'] }), task('T10', { td: [] }))
    writeLines(cli.dir, 'p/03-02.plan.jsonl', header('02'), task('T1', { f: ['src/x.ts'] }))
    writeLines(
      ...([cli.dir, 'p/03-03.plan.jsonl', header('03', { w: 2, d: ['03-02'] })] as const),
      ...[task('T1', { f: ['src/y.ts'] }), task('T2', { f: ['src/z.ts'], td: ['T1'] })],
    )
    await cli.ok('plan load p')
    expect((await cli.json('task show 03-03/T2')).blocked_by).toEqual(['03-03/T1', '03-02/T1'])
    await cli.ok('team join ada --role dev')
    const ready = async () => new Set((await cli.json('task list --ready')).map(({ id }: { id: string }) => id))
    const complete = async (id: string) => {
      await cli.ok(`task claim ${id} --as ada`)
      await cli.ok(`task complete ${id} --as ada`)
    }
    expect(await ready()).toEqual(new Set(['03-01/T1', '03-01/T2', '03-01/T10', '03-02/T1']))
    await complete('03-02/T1')
    await complete('03-01/T2')
    expect(await cli.refused('task claim 03-01/T3 --as ada'), 'T1 of the own plan is open').toBe('not_ready')
    expect(await ready()).toEqual(new Set(['03-01/T1', '03-01/T10', '03-03/T1']))
    await complete('03-01/T1')
    expect(await ready()).toEqual(new Set(['03-01/T3', '03-01/T10', '03-03/T1']))
  }) // C42, C43, C52, C53

  it('are refused where they name the task itself, a circle or a task that is there twice', async () => {
    write(header('01'), task('T1', { td: ['T1'] }), task('T2'), task('T2'))
    expect(await problems()).toEqual([
      '2: tasks wait for each other in a circle: T1 -> T1',
      '4: T2 is already the task on line 3',
    ])
    write(header('01'), task('T1', { td: ['T3'] }), task('T2', { td: ['T1'] }), task('T3', { td: ['T2'] }))
    for (const command of ['plan show p', 'plan load p', 'plan run p']) {
      const { code, stderr } = await cli.run(command)
      expect([code, stderr]).toEqual([1, expect.stringContaining('in a circle: T1 -> T3 -> T2 -> T1')])
    }
    expect(await cli.json('team list')).toEqual([])
    expect((await cli.run('plan show none')).stderr).toContain('the file does not exist')
    expect([(await cli.run('plan show')).code, (await cli.run('plan show p --groups')).code]).toEqual([2, 2])
  }) // C55, C56, F44
})
