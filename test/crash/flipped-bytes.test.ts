import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type CommandHarness, commandHarness } from '../cli/command-harness.ts'

/** By kind of file. */
const KINDS = {
  journal: '.teams/web/journal.jsonl',
  'transcript of the lead': '.teams/web/transcripts/lead.jsonl',
  'transcript of a teammate': '.teams/web/transcripts/ada.jsonl',
  snapshot: '.teams/web/snapshot.json',
  view: '.teams/web/config.json',
  inbox: '.teams/web/inbox/lead.jsonl',
  presence: '.teams/web/presence/r-0.json',
}
const PLACES = 50
const TASKS = '1 completed,2 pending'
/** Each message by a word that stands nowhere else, and its reader. The first three were read before the damage. */
const MAIL = {
  'prompt-golf': 'lead',
  'letter-alpha': 'lead',
  'letter-bravo': 'ada',
  'letter-carol': 'lead',
  'letter-delta': 'ada',
} as const

let cli: CommandHarness
let model: string

const call = (tool: string, input: Record<string, unknown>) => ({ tool, input })
const send = (word: keyof typeof MAIL) => cli.ok(['send', MAIL[word], `This is ${word}.`, '--team', 'web'])
const resume = () => cli.run(['resume', 'web', '-m', model, '--output-format', 'json', '--sandbox', 'off'])

beforeAll(async () => {
  // No power is cut here: where a folder in memory exists, nothing waits for a disk.
  if (existsSync('/dev/shm')) vi.stubEnv('TMPDIR', '/dev/shm')
  cli = commandHarness()
  const parts = [
    // Like a model that looks before it repeats anything.
    { agent: ['ada', 'lead'], when: { user: 'Your transcript' }, times: 'always', text: 'I looked.' },
    {
      agent: 'lead',
      when: { user: 'prompt-golf' },
      calls: [
        call('TaskCreate', { subject: 'dig', description: 'a hole' }),
        call('TaskCreate', { subject: 'later', description: 'waits', assignee: 'lead' }),
        call('Task', { name: 'ada', prompt: 'Dig the hole.', task_id: '1' }),
      ],
    },
    {
      agent: 'ada',
      when: { answer: 1 },
      calls: [call('TaskUpdate', { taskId: '1', status: 'completed', result: 'dug' })],
    },
    { agent: ['ada', 'lead'], times: 'always', text: 'Here.' },
  ]
  const path = join(cli.dir, 'script.json')
  writeFileSync(path, JSON.stringify({ parts }))
  model = `scripted:${path}`
  await cli.ok('team create web')
  await cli.run(['-p', 'This is prompt-golf.', '-m', model, '--team', 'web'])
  await send('letter-alpha')
  await send('letter-bravo')
  expect((await resume()).code).toBe(4)
  await send('letter-carol')
  await send('letter-delta')
  await cli.ok('check --repair --team web')
  mkdirSync(join(cli.dir, '.teams/web/presence'), { recursive: true })
  writeFileSync(join(cli.dir, KINDS.presence), '{"runtime":"r-0","pid":1,"host":"x","announcedAt":1,"renewedAt":1}')
  for (const folder of ['.teams', '.tasks'])
    cpSync(join(cli.dir, folder), join(cli.dir, 'kept', folder), { recursive: true })
})
afterAll(() => {
  cli.close()
  vi.unstubAllEnvs()
})

/** How a repair of the journal names the loss of this message: by its id, or by the place of its own line. */
function namesOf(word: string): string[] {
  const journal = readFileSync(join(cli.dir, 'kept', KINDS.journal), 'utf8')
  const line = journal.split('\n').find((text) => text.includes(`This is ${word}.`)) ?? ''
  const [message] = (JSON.parse(line).events as { message?: { id: string } }[]).flatMap((event) => event.message ?? [])
  return [`message ${message?.id} `, `(byte ${Buffer.byteLength(journal.slice(0, journal.indexOf(line)))}): damaged`]
}

function restore(): void {
  for (const folder of ['.teams', '.tasks']) {
    rmSync(join(cli.dir, folder), { recursive: true, force: true })
    cpSync(join(cli.dir, 'kept', folder), join(cli.dir, folder), { recursive: true })
  }
}

/** The same places in every run. */
function* places(length: number): Generator<{ at: number; bit: number }> {
  let seed = 20261117
  for (let i = 0; i < PLACES; i++) {
    seed = (seed * 1103515245 + 12345) % 2147483648
    yield { at: seed % length, bit: i % 8 }
  }
}

async function tasks(): Promise<string> {
  const all = (await cli.json('task list --team web')) as { id: string; status: string }[]
  return all.map(({ id, status }) => `${id} ${status}`).join()
}

/** How often the conversation of its reader holds each message, if that agent is still there. */
function deliveries(): Map<string, number> {
  const text = (reader: string) => {
    const path = join(cli.dir, `.teams/web/transcripts/${reader}.jsonl`)
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  }
  return new Map(
    Object.entries(MAIL).map(([word, reader]) => [word, text(reader).split(`This is ${word}.`).length - 1]),
  )
}

/** What a repair says it could not save. */
function namedIn(stdout: string): string[] {
  const { lost = [], transcripts = [] } = JSON.parse(stdout).repaired
  return [...lost, ...transcripts.map((one: object) => JSON.stringify(one))]
}

describe('one changed byte', () => {
  it.for(Object.entries(KINDS) as [string, string][])(
    'in a %s loses no task and no message silently, and delivers none twice',
    { timeout: 120_000 },
    async ([kind, path]) => {
      restore()
      const isTruth = kind === 'journal' || kind.startsWith('transcript')
      expect(await tasks()).toBe(TASKS)
      expect([...deliveries().values()]).toEqual([1, 1, 1, 0, 0])
      const whole = readFileSync(join(cli.dir, path))
      for (const { at, bit } of places(whole.length)) {
        restore()
        const bytes = Buffer.from(whole)
        bytes[at] = bytes[at]! ^ (1 << bit)
        writeFileSync(join(cli.dir, path), bytes)
        const where = `${kind}, byte ${at}, bit ${bit}`
        const checked = await cli.run('check --team web')
        // A view that says it shows more than there is looks like a journal that lost its end: named, and repaired.
        const isExpected = isTruth || (kind === 'view' && checked.stdout.includes('its end was lost'))
        expect(checked.code, `${where}: ${checked.stdout}`).toBe(isExpected ? 1 : 0)
        const repaired = await cli.run('check --repair --team web --json')
        expect(repaired.code, `${where}: ${repaired.stdout}${repaired.stderr}`).toBe(0)
        const named = namedIn(repaired.stdout)
        if (isTruth) expect(named, where).not.toEqual([])

        const { code, stderr } = await resume()
        const left = await tasks()
        // Work is left in any case: success only where the repair has named that it is gone, and told the lead.
        if (code === 0) {
          expect(named, where).not.toEqual([])
          expect(left, where).not.toMatch(/pending|in_progress|failed/)
          expect(cli.read('.teams/web/transcripts/lead.jsonl'), where).toContain('was damaged and was repaired')
        } else expect(code, `${where}: ${stderr}`).toBe(4)
        if (kind !== 'journal') expect(left, where).toBe(TASKS)
        for (const task of ['1 completed', '2 pending'])
          if (!left.includes(task)) expect(named.join('\n'), where).toMatch(/task\.|damaged: unreadable/)
        for (const [word, count] of deliveries()) {
          expect(count, `${where}: ${word}`).toBeLessThanOrEqual(1)
          if (count === 1) continue
          const isNamed = namesOf(word).some((name) => named.some((line) => line.includes(name)))
          expect(isNamed, `${where}: ${word} is lost: ${named.join('\n')}`).toBe(true)
        }
      }
    },
  ) // T43, T51
})
