import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import type { Script } from '../../models/scripted/script.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

function script(...parts: Script['parts']): string {
  const path = join(cli.dir, '..', `script-${readdirSync(join(cli.dir, '..')).length}.json`)
  writeFileSync(path, JSON.stringify({ parts }))
  return `scripted:${path}`
}
const always = (text: string) => script({ times: 'always', text })
const ID = '0190fabc-1234-7abc-8def-0123456789ab'
const teams = () => readdirSync(join(cli.dir, '.teams')).filter((name) => !name.startsWith('.'))

describe('--session-id', () => {
  it('names the new session, which -r and -c resume', async () => {
    const first = await cli.json(['-p', 'the word is fig', '-m', always('ok'), '--session-id', ID.toUpperCase()])
    expect(first.session_id).toBe(ID)
    expect(teams()).toEqual([ID])
    const model = script({ times: 'always', when: { conversation: 'the word is fig' }, text: 'fig' })
    expect(await cli.ok(['-r', ID, '-p', 'and?', '-m', model])).toBe('fig\n')
    expect(await cli.ok(['-c', '-p', 'and?', '-m', model])).toBe('fig\n')
    expect((await cli.json('sessions')).map(({ name }: { name: string }) => name)).toEqual([ID])
  })

  it('is refused where the id is in use, no UUID, or another option names the session', async () => {
    const model = always('ok')
    await cli.ok(['-p', 'hi', '-m', model, '--session-id', ID])
    for (const [words, why] of [
      [['--session-id', ID], `There is a session ${ID} already. Resume it with: deskmates -r ${ID}`],
      [['--session-id', '../../etc'], 'is not a UUID'],
      [['--session-id', `${ID}x`], 'is not a UUID'],
      [['-c', '--session-id', ID.replace('0', '1')], 'or add --fork-session'],
      [['--team', 'default', '--session-id', ID.replace('0', '1')], '--team names one'],
    ] as const) {
      const { code, stderr } = await cli.run(['-p', 'hi', '-m', model, ...words])
      expect([code, stderr]).toEqual([2, expect.stringContaining(why)])
    }
    expect(teams()).toEqual([ID])
  })

  it('is free again where the run failed before its first answer', async () => {
    const broken = script({ when: { user: 'something else' }, text: 'x' })
    expect((await cli.run(['-p', 'hi', '-m', broken, '--session-id', ID])).code).toBe(1)
    await cli.ok(['-p', 'hi', '-m', always('ok'), '--session-id', ID])
  })
})

describe('--fork-session', () => {
  const spawning = () =>
    script(
      {
        agent: 'lead',
        when: { answer: 1 },
        calls: [
          { tool: 'TaskCreate', input: { subject: 'dig', description: 'a hole' } },
          { tool: 'bash', input: { command: 'ls' } },
        ],
      },
      { agent: 'lead', times: 'always', text: 'The word is fig.' },
    )

  it('begins a new session with the conversation of the lead, without its tasks, members and mail', async () => {
    await cli.run(['-p', 'remember the word', '-m', spawning(), '--session-id', ID])
    await cli.ok(['team', 'join', 'ci', '--role', 'tester', '--team', ID])
    await cli.ok(['send', 'lead', 'unread mail', '--from', 'ci', '--team', ID])
    const before = readFileSync(join(cli.dir, '.teams', ID, 'transcripts', 'lead.jsonl'), 'utf8')
    const model = script({
      times: 'always',
      when: { conversation: 'The word is fig', user: 'what was it' },
      text: 'fig, in a new session',
    })
    const fork = await cli.json(['-r', ID, '--fork-session', '-p', 'what was it?', '-m', model])
    expect(fork).toMatchObject({ result: 'fig, in a new session', num_turns: 1 })
    expect(fork).not.toHaveProperty('tasks_left')
    expect(fork.session_id).not.toBe(ID)
    expect(await cli.json(['task', 'list', '--team', fork.session_id])).toEqual([])
    const { members } = await cli.json(['team', 'show', fork.session_id])
    expect(members.map(({ name }: { name: string }) => name)).toEqual(['lead'])
    const log = await cli.ok(['log', '--team', fork.session_id])
    expect(log).not.toMatch(/unread mail|dig|remember the word/)
    // The old one is as it was, and can be resumed.
    expect(readFileSync(join(cli.dir, '.teams', ID, 'transcripts', 'lead.jsonl'), 'utf8')).toBe(before)
    expect(await cli.json(['task', 'list', '--team', ID])).toHaveLength(1)
  })

  it('tells the model that the session is a new one, and calls it only for the new prompt', async () => {
    await cli.ok(['-p', 'hi', '-m', always('hello'), '--session-id', ID])
    const model = script({
      when: { user: `copied from the session ${ID}`, conversation: 'hello' },
      text: 'a new one',
    })
    const other = ID.replace('0', '1')
    expect(await cli.ok(['-c', '--fork-session', '--session-id', other, '-p', 'go on', '-m', model])).toBe(
      'a new one\n',
    )
    expect(teams().sort()).toEqual([ID, other].sort())
    const again = script({ when: { conversation: 'a new one' }, text: 'still here' })
    expect(await cli.ok(['-r', other, '-p', 'and?', '-m', again])).toBe('still here\n')
  })

  it('gives a result to a call that had none when the conversation was copied', async () => {
    await cli.run(['-p', 'remember', '-m', spawning(), '--session-id', ID])
    const path = join(cli.dir, '.teams', ID, 'transcripts', 'lead.jsonl')
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    const asked = lines.findIndex((line) => line.includes('"assistant"'))
    writeFileSync(path, `${lines.slice(0, asked + 1).join('\n')}\n`)
    const journal = join(cli.dir, '.teams', ID, 'journal.jsonl')
    expect(existsSync(journal)).toBe(true)
    const model = script({
      times: 'always',
      when: { conversation: 'It is not known whether it took effect' },
      text: 'I see.',
    })
    expect(await cli.ok(['-r', ID, '--fork-session', '-p', 'go on', '-m', model])).toBe('I see.\n')
  })

  it('needs a session to copy, a prompt, and trust in a journal that came from elsewhere', async () => {
    const model = always('ok')
    const alone = await cli.run(['--fork-session', '-p', 'x', '-m', model])
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('-c or -r')])
    const byTeam = await cli.run(['--fork-session', '--team', 'default', '-p', 'x', '-m', model])
    expect(byTeam.code).toBe(2)
    await cli.ok(['-p', 'hi', '-m', model, '--session-id', ID])
    expect((await cli.run(['-c', '--fork-session', '-p', '-m', model])).code).toBe(2)
    const env = { ...cli.env, DESKMATES_STATE: join(cli.dir, '..', 'stranger') }
    mkdirSync(env.DESKMATES_STATE)
    expect(await cli.refused(['-r', ID, '--fork-session', '-p', 'x', '-m', model], { env })).toBe('untrusted_journal')
    expect(teams()).toEqual([ID])
    rmSync(join(cli.dir, '.teams', ID, 'transcripts'), { recursive: true })
    expect(await cli.refused(['-r', ID, '--fork-session', '-p', 'x', '-m', model])).toBe('transcript_lost')
    expect(teams()).toEqual([ID])
  })
})
