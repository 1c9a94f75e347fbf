import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { header, task, writeExample, writeLines } from '../../../test/cli/plan-files.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

const join = async (...names: string[]) => {
  for (const name of names) await cli.ok(`team join ${name} --role dev`)
}

describe('the tasks of a plan on the board', () => {
  it('are claimed in the order of plan and number, once each, and given back with a reason', async () => {
    writeExample(cli.dir)
    await cli.ok('plan load p')
    await join('ada', 'bob')
    expect(await cli.json('task claim --as ada')).toMatchObject({ id: '03-01/T1', status: 'in_progress' })
    expect(await cli.refused('task claim 03-01/T1 --as bob')).toBe('wrong_state')
    expect(await cli.refused('task claim 03-01/T9 --as bob')).toBe('unknown_task')
    expect(await cli.refused('task claim 03-02/T1 --as bob')).toBe('not_ready')
    expect(await cli.json('task claim --as bob')).toMatchObject({ id: '03-01/T2' })
    await cli.ok(['task', 'release', '03-01/T1', '--as', 'ada', '--reason', 'wrong branch'])
    expect(await cli.json('task show 03-01/T1')).toMatchObject({
      status: 'pending',
      ended: [{ reason: 'wrong branch' }],
    })
    expect(await cli.refused('task complete 03-01/T1 --as ada')).toBe('wrong_state')
    await cli.ok('task complete 03-01/T2 --as bob --commit abc1234')
    expect(await cli.refused('task complete 03-01/T2 --as ada')).toBe('not_owner')
    const again = await cli.run('task complete 03-01/T2 --as bob --commit fff9999')
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('is already completed')])
    expect(await cli.json('task show 03-01/T2')).toMatchObject({ status: 'completed', commit: 'abc1234' })
  }) // C43, C45, C47

  it('are claimed in the order of their numbers, not of their texts, and in the words of the source', async () => {
    writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01'), task('T10'), task('T2'))
    await cli.ok('plan load p')
    await join('ada')
    expect(await cli.json('task claim --as ada')).toMatchObject({ id: '03-01/T2', owner: 'ada' })
    await cli.ok('task update 03-01/T2 --status complete --as ada')
    expect(await cli.json('task update 03-01/T10 --status claimed --as ada')).toMatchObject({ status: 'in_progress' })
    await cli.ok('task update 03-01/T2 --status available')
    expect(await cli.json('task show 03-01/T2')).toMatchObject({ status: 'pending', owner: null })
  }) // C45, C47

  it('leave a developer without a task at exit 0 when none is ready', async () => {
    writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01'), task('T1', { tp: 'checkpoint:decision' }))
    await cli.ok('plan load p')
    await join('ada')
    const { code, stderr } = await cli.run('task claim --as ada')
    expect([code, stderr]).toEqual([0, expect.stringContaining('Nothing to claim right now')])
  }) // C47

  it('keep a file reserved until every claim that names it has ended, across plans and processes', async () => {
    const files = (...f: string[]) => ({ f })
    writeLines(
      cli.dir,
      'p/03-01.plan.jsonl',
      header('01'),
      task('T1', files('src/a.ts', 'src/shared.ts')),
      task('T2', files('src/b.ts')),
      task('T3', files('src/shared.ts', 'src/b.ts')),
    )
    // The same file, written in another way.
    writeLines(cli.dir, 'p/03-02.plan.jsonl', header('02'), task('T3', files('./src//shared.ts')))
    await cli.ok('plan load p')
    await join('ada', 'bob', 'eve')
    await cli.ok('task claim 03-01/T1 --as ada')
    await cli.ok('task claim 03-01/T2 --as bob')
    for (const id of ['03-01/T3', '03-02/T3'])
      expect(await cli.refused(`task claim ${id} --as eve`)).toBe('files_overlap')
    await cli.ok('task complete 03-01/T2 --as bob')
    for (const id of ['03-01/T3', '03-02/T3'])
      expect(await cli.refused(`task claim ${id} --as eve`)).toBe('files_overlap')
    await cli.ok('task complete 03-01/T1 --as ada')
    await cli.ok('task claim 03-02/T3 --as eve')
    expect(await cli.refused('task claim 03-01/T3 --as bob')).toBe('files_overlap')
  }) // C44, F45

  it('free their files when the lease of a claim ends, and take no late result of its owner', async () => {
    const shared = { f: ['src/shared.ts'] }
    writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01'), task('T1', shared), task('T2', shared))
    await cli.ok('plan load p')
    await join('ada', 'bob')
    await cli.ok('task claim 03-01/T1 --as ada --lease 300')
    cli.clock.advance(299)
    expect(await cli.refused('task claim 03-01/T2 --as bob')).toBe('files_overlap')
    cli.clock.advance(2)
    expect(await cli.json('task claim 03-01/T2 --as bob')).toMatchObject({ owner: 'bob' })
    expect(await cli.refused('task complete 03-01/T1 --as ada')).toBe('wrong_state')
    expect(await cli.json('task show 03-01/T1')).toMatchObject({ status: 'pending', ended: [{ end: 'lease ended' }] })
    expect(await cli.refused('task claim 03-01/T1 --as ada')).toBe('files_overlap')
  }) // C44, C81, F45, F46
})
