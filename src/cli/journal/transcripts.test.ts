import { copyFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'

let cli: CommandHarness
beforeEach(async () => {
  cli = await commandHarness()
  await cli.ok('team create web')
  const { code } = await cli.run(['-p', 'Go', '-m', model(), '--team', 'web', '--sandbox', 'off', ...allow])
  expect(code).toBe(0)
})
afterEach(() => cli.close())

const allow = ['--permission-mode', 'bypassPermissions']
const call = (tool: string, input: Record<string, unknown>) => ({ tool, input })
const transcript = (name: string) => join(cli.dir, '.teams/web/transcripts', `${name}.jsonl`)

function model(): string {
  const parts = [
    { agent: 'lead', when: { user: 'Go' }, calls: [call('Task', { name: 'ada', prompt: 'Dig the hole.' })] },
    { agent: 'ada', when: { answer: 1 }, calls: [call('bash', { command: 'echo dug >> holes' })] },
    { agent: ['ada', 'lead'], times: 'always', text: 'Here.' },
  ]
  const path = join(cli.dir, 'script.json')
  writeFileSync(path, JSON.stringify({ parts }))
  return `scripted:${path}`
}

/** Changes one byte of the line that holds this text. */
function damage(name: string, text: string): void {
  const bytes = readFileSync(transcript(name))
  const at = bytes.indexOf(text)
  expect(at).toBeGreaterThan(0)
  bytes[at] = bytes[at]! ^ 1
  writeFileSync(transcript(name), bytes)
}

async function resume() {
  const words = ['resume', 'web', '-m', model(), '--output-format', 'json', '--sandbox', 'off', ...allow]
  const { code, stdout, stderr } = await cli.run(words)
  return { code, result: stdout === '' ? undefined : JSON.parse(stdout), stderr }
}

describe('a damaged transcript', () => {
  it('of the lead is named by resume and check, and works again after the repair they name', async () => {
    damage('lead', '"result":')
    const { code, stderr } = await resume()
    expect(code).toBe(1)
    expect(stderr).toContain(transcript('lead'))
    expect(stderr).toContain('deskmates check --repair --team web')
    const checked = await cli.run('check --team web')
    expect(checked.code).toBe(1)
    expect(checked.stdout).toMatch(/transcripts\/lead\.jsonl:\d+ \(byte \d+\): damaged/)
    const repaired = await cli.ok('check --repair --team web')
    expect(repaired).toMatch(/The transcript of lead continues without \d+ lines; they are now in lead\.\w+\.damaged/)
    expect(readdirSync(join(cli.dir, '.teams/web/transcripts')).some((name) => /^lead\.\w+\.damaged$/.test(name))).toBe(
      true,
    )
    expect((await cli.run('check --team web')).code).toBe(0)
    const after = await resume()
    expect(after.code).toBe(0)
    expect(after.result.errors.join('\n')).not.toContain('transcript')
    expect(readFileSync(transcript('lead'), 'utf8')).toContain('Your transcript was damaged')
  }) // T43

  it('of a teammate is an error of the run and reported to the lead; repair makes its mail unread', async () => {
    damage('ada', '"user":')
    const { code, result } = await resume()
    expect(code).not.toBe(0)
    expect(result.errors.join('\n')).toContain(transcript('ada'))
    expect(readFileSync(transcript('lead'), 'utf8')).toContain('is damaged at line')
    const { repaired } = await cli.json('check --repair --team web')
    expect(repaired.transcripts).toMatchObject([{ member: 'ada', returned: 1 }])
    expect(repaired.transcripts[0].calls).toEqual([expect.stringContaining('bash {"command":"echo dug >> holes"}')])
    expect((await resume()).code).toBe(0)
    const text = readFileSync(transcript('ada'), 'utf8')
    expect(text.split('Dig the hole.').length - 1, 'told once in what is left').toBe(1)
    expect(text).toContain('they were not run again')
  }) // T43

  it('names a call whose own line is damaged by the result that it had', async () => {
    damage('ada', '"assistant":')
    const { repaired } = await cli.json('check --repair --team web')
    expect(repaired.transcripts[0].calls[0]).toBe('bash with an input that cannot be read any more (it ended)')
  }) // T43

  it('is not damaged by a torn end: check exits 0', async () => {
    const text = readFileSync(transcript('ada'), 'utf8').trimEnd()
    writeFileSync(transcript('ada'), `${text}\n\n{"v":1,"id":"x","gen`)
    expect((await cli.run('check --team web')).code).toBe(0)
  }) // T43
})

describe('a transcript that is missing or empty', () => {
  it.for(['missing', 'empty'])('of a teammate is reported to it, to the lead and in errors: %s', async (how) => {
    if (how === 'missing') rmSync(transcript('ada'))
    else truncateSync(transcript('ada'))
    const checked = await cli.run('check --team web')
    expect(checked.code).toBe(1)
    expect(checked.stdout).toMatch(/transcripts\/ada\.jsonl:1 \(byte 0\): missing/)
    const { code, result } = await resume()
    expect(code).toBe(1)
    expect(result.errors.join('\n')).toContain('The transcript of ada in web is missing or empty')
    const own = readFileSync(transcript('ada'), 'utf8')
    expect(own).toContain('Your transcript is missing or empty')
    expect(own).toContain('Dig the hole.')
    expect(own).not.toContain('is all here')
    expect(readFileSync(transcript('lead'), 'utf8')).toContain('The transcript of ada is missing or empty')
    expect((await resume()).result.errors.join('\n')).not.toContain('transcript')
    expect((await cli.run('check --team web')).code).toBe(0)
  }) // T45

  it('of the lead is an error of resume and of -c, with a next step that works', async () => {
    copyFileSync(transcript('lead'), join(cli.dir, 'copy'))
    rmSync(transcript('lead'))
    expect((await cli.json('resume')).map(({ name }: { name: string }) => name)).toEqual(['web'])
    for (const words of [
      ['resume', 'web'],
      ['-c', '-p', 'More'],
    ]) {
      const { code, stderr } = await cli.run([...words, '-m', model()])
      expect(code).toBe(1)
      expect(stderr).toContain('.teams/web/transcripts/lead.jsonl, is missing or empty')
    }
    copyFileSync(join(cli.dir, 'copy'), transcript('lead'))
    expect((await resume()).code).toBe(0)
    rmSync(transcript('lead'))
    await cli.ok('check --repair --team web')
    expect((await resume()).code).toBe(0)
    expect(readFileSync(transcript('lead'), 'utf8')).toContain('Your transcript is missing or empty')
  }) // T45, T54
})
