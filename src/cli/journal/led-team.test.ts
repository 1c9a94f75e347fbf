import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'

let cli: CommandHarness
let model: string
beforeEach(async () => {
  cli = await commandHarness()
  const call = (tool: string, input: Record<string, unknown>) => ({ tool, input })
  const path = join(cli.dir, 'script.json')
  const parts = [
    {
      agent: 'lead',
      when: { user: 'Go' },
      calls: [
        call('TeamCreate', { name: 'web' }),
        call('TaskCreate', { subject: 'dig', description: 'a hole', assignee: 'lead' }),
      ],
    },
    { agent: 'lead', times: 'always', text: 'Here.' },
  ]
  writeFileSync(path, JSON.stringify({ parts }))
  model = `scripted:${path}`
  await cli.ok('team create main')
  await cli.run(['-p', 'Go', '-m', model, '--team', 'main'])
})
afterEach(() => cli.close())

const journal = () => join(cli.dir, '.teams/web/journal.jsonl')
const resume = async () => {
  const { code, stdout, stderr } = await cli.run(['resume', 'main', '-m', model, '--output-format', 'json'])
  return { code, result: JSON.parse(stdout), stderr }
}

describe('a further team of a session whose journal is missing', () => {
  it('is named as an error with the next step by resume, and restored by putting the journal back', async () => {
    renameSync(journal(), join(cli.dir, 'kept'))
    for (let time = 0; time < 2; time++) {
      const { code, result } = await resume()
      expect(code).toBe(1)
      expect(result.is_error).toBe(true)
      expect(result.errors[0]).toContain('leads the team web, whose journal is missing')
      expect(result.errors[0]).toContain('deskmates check --repair --team web')
    }
    expect((await cli.run('check --team web')).code).toBe(1)
    renameSync(join(cli.dir, 'kept'), journal())
    const { code, result } = await resume()
    expect(code).toBe(4)
    expect(result.tasks_left).toMatchObject([{ team: 'web', pending: 1 }])
  }) // T44

  it('is named although its whole folder is gone, and given up only by check --repair', async () => {
    rmSync(join(cli.dir, '.teams/web'), { recursive: true })
    expect((await resume()).code).toBe(1)
    const checked = await cli.run('check --team web')
    expect(checked.code).toBe(1)
    expect(checked.stdout).toContain('the journal is missing, but the session main leads this team')
    await cli.run('check --repair --team web')
    const { code, result } = await resume()
    expect([code, result.errors]).toEqual([0, []])
  }) // T44

  it('is given up when the user deletes it, and the lead is notified', async () => {
    await cli.ok('team delete web')
    const { code, result } = await resume()
    expect([code, result.errors]).toEqual([0, []])
    expect(cli.read('.teams/main/transcripts/lead.jsonl')).toContain('You have no team web any more')
  }) // T44

  it('stays led when the repair of its journal could not read the first line', async () => {
    const text = cli.read('.teams/web/journal.jsonl')
    writeFileSync(journal(), text.replace('"v":1', '"v":x'))
    expect((await resume()).code).toBe(1)
    await cli.run('check --repair --team web')
    expect((await cli.json('team show web')).name ?? 'web').toBe('web')
    const { result } = await resume()
    expect(result.errors).toEqual([])
    expect((await cli.json('resume')).find(({ name }: { name: string }) => name === 'main').teams).toEqual(['web'])
  }) // T44
})

describe('a damaged line of mail in a journal', () => {
  it('is named by a run on stderr and in errors, and the run does not exit 0', async () => {
    await cli.ok(['send', 'lead', 'a letter that gets lost', '--team', 'main'])
    await cli.ok('task add later --team main')
    const path = join(cli.dir, '.teams/main/journal.jsonl')
    writeFileSync(
      path,
      cli.read('.teams/main/journal.jsonl').replace('a letter that gets lost', 'a letter that gets Lost'),
    )
    const { stderr } = await cli.run(['resume', 'main', '-m', model])
    const { code, result } = await resume()
    expect(code).toBe(1)
    expect(result.is_error).toBe(true)
    expect(result.errors.join('\n')).toMatch(
      /journal\.jsonl:\d+ \(byte \d+\) is damaged.*deskmates check --repair --team main/,
    )
    expect(stderr).toContain('is damaged')
    await cli.ok('check --repair --team main')
    expect((await resume()).result.errors.join('\n')).not.toContain('damaged')
  }) // T51
})
