import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { openFileStore } from '../../stores/files/store.ts'
import { assistantTurn, playedSession, userTurn } from '../../testing/harnesses/replay-harness.ts'
import { applyLine } from '../../view/apply-line.ts'
import { emptyView } from '../../view/view.ts'
import { place, stepAt } from './place.ts'

let cli: CommandHarness
beforeEach(async () => {
  cli = commandHarness()
  await using store = await openFileStore({ dir: cli.dir })
  const { team, clock, idAt, transcript } = await playedSession(store)
  await clock.advance(10)
  await team.run({ type: 'task.add', tasks: [{ subject: 'Write the parser' }] })
  await clock.advance(600)
  await transcript('lead', userTurn(idAt(), 'Begin.'), assistantTurn(idAt(1), 'I begin.'))
  await clock.advance(5)
  await team.send({ to: 'lead', content: 'hello' })
  await team.close()
})
afterEach(() => cli.close())

const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
const types = (text: string) =>
  lines(text).map(({ type, events }) => (type === 'deskmates/record' ? events[0].type : type))

describe('replay', () => {
  it('prints the lines of journal and transcripts in their order, in a pipe as with --json', async () => {
    const all = await cli.ok('replay web --json')
    expect(types(all)).toEqual(['team.created', 'task.created', 'user', 'assistant', 'message.sent'])
    expect(lines(all).map(({ step }) => step)).toEqual([1, 2, 3, 4, 5])
    expect(lines(all)[2]).toMatchObject({ session_id: 'web', agent: 'lead', at: 1_800_000_610 })
    expect(await cli.ok('replay web')).toBe(all)
  })

  it('prints states of the teams in place of what was before, so that a script can fold them', async () => {
    const part = await cli.ok('replay web --from 3 --to 4 --json')
    expect(types(part)).toEqual(['deskmates/state', 'user', 'assistant'])
    const moment = await cli.ok('replay web --at +15s --json')
    expect(types(moment)).toEqual(['deskmates/state'])
    const view = emptyView()
    for (const { at, step, ...line } of lines(moment)) applyLine(view, { at, line } as never)
    expect([...view.teams.get('web')!.tasks.values()]).toMatchObject([{ subject: 'Write the parser' }])
    expect(view.teams.get('web')!.mailboxes.get('lead')?.size ?? 0).toBe(0)
  })

  it('writes nothing: no file is made, changed or removed', async () => {
    const before = files(cli.dir)
    await cli.ok('replay web --json')
    expect(files(cli.dir)).toEqual(before)
  })

  it('plays what is readable of a damaged journal, and warns of the rest', async () => {
    const path = join(cli.dir, '.teams/web/journal.jsonl')
    writeFileSync(path, readFileSync(path, 'utf8').replace('Write the parser', 'Write the pars3r'))
    const { code, stdout, stderr } = await cli.run('replay web')
    expect(code).toBe(0)
    expect(types(stdout)).toEqual(['team.created', 'user', 'assistant', 'message.sent'])
    expect(stderr).toContain(`${path}:`)
    expect(stderr).toContain('deskmates check --team web')
  })

  it('tells the steps in plain lines to a screen reader', async () => {
    const { stdout } = await cli.run('replay web --speed max --screen-reader', { isTerminal: true, columns: 100 })
    expect(stdout).toMatch(/user: added task 1: Write the parser[\s\S]*lead reads: Begin\.[\s\S]*lead says: I begin\./)
  })

  it('refuses an unknown team, an unknown record, and places and speeds that are none', async () => {
    expect(await cli.refused('replay shop')).toBe('unknown_team')
    expect(await cli.refused('replay web --from 01HZZZZZZZZZZZZZZZZZZZZZZZ')).toBe('unknown_record')
    for (const words of ['--speed 0', '--speed fast', '--from ?', '--at 1 --to 2', '--from 4 --to 2'])
      expect(await cli.run(`replay web ${words}`)).toMatchObject({ code: 2 })
  })
})

describe('a place', () => {
  const times = [100, 100.4, 160, 300]
  const replay = { session: 'web', count: 4, faults: [], timeOf: (step: number) => times[Math.max(1, step) - 1]! }
  const at = (text: string, side: 'first' | 'last') =>
    stepAt({ ...replay, stepOf: async () => 2, read: async () => [] }, place(text), side)

  it('is a step, a time, a time since the start, or a record', async () => {
    expect([await at('3', 'first'), await at('99', 'last')]).toEqual([3, 4])
    expect([await at('+1m', 'first'), await at('+1m', 'last')]).toEqual([3, 3])
    expect([await at('+2m', 'first'), await at('+2m', 'last')]).toEqual([4, 3])
    expect(await at('1970-01-01T00:02:00Z', 'last')).toBe(2)
    expect(await at('01ABCDEF', 'first')).toBe(2)
    const clock = new Date(100_000).toTimeString().slice(0, 8)
    expect([await at(clock, 'first'), await at(clock, 'last')]).toEqual([1, 2])
  })
})

/** Every file with its content and the time of its last change. */
function files(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .map((path) => {
      const { mtimeMs, size } = statSync(path)
      return `${path} ${mtimeMs} ${size}`
    })
    .sort()
}
