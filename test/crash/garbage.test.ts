import { createHash } from 'node:crypto'
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Acting } from '../../src/journal/team-handle.ts'
import { realDisk } from '../../src/stores/files/disk.ts'
import type { Command } from '../../src/team/command.ts'
import { TeamError } from '../../src/team/errors.ts'
import { isRefusal } from '../../src/team/refusal.ts'
import { refusalText } from '../../src/team/refusal-text.ts'
import { memberNamed, type TeamState, unreadOf } from '../../src/team/state.ts'
import { createRandom, type Random } from '../storms/random.ts'
import { closingDisk } from './closing-disk.ts'
import { type FragileTeam, makeFragileTeam, type Opened, TEAM } from './fragile-team.ts'

const LINES = 10_000
const LINES_PER_JOURNAL = 20

let fragile: FragileTeam
beforeAll(async () => {
  fragile = await makeFragileTeam()
})
beforeEach(() => fragile.reset())
afterAll(() => fragile[Symbol.dispose]())

const journal = () => join(fragile.dir, '.teams', TEAM, 'journal.jsonl')

describe('a journal with garbage in it', () => {
  it('names or skips each damaged line, and keeps what was acknowledged before', {
    timeout: 300_000,
  }, async () => {
    const random = createRandom()
    await liveALittle()
    const whole = readFileSync(journal())
    const valid = whole.toString().split('\n').filter(Boolean)
    const before = await open()
    await before.team.refresh()
    const facts = factsOf(before.team.state)
    await before.team.close()
    const strange: string[] = []
    const counts: Record<string, number> = { written: 0, refused: 0 }
    for (let n = 0; n < LINES; n += LINES_PER_JOURNAL) {
      const kind = random.pick(['any', 'whole', 'accepted'] as const)
      const lines = makeLines(random, valid, kind)
      writeFileSync(journal(), Buffer.concat([whole, ...lines.flatMap((line) => [NEWLINE, line, NEWLINE])]))
      for (const what of await tryOut(kind === 'accepted' ? undefined : facts, counts))
        strange.push(`${what} behind ${lines.map(show).join(' | ')}`)
    }
    console.log(
      `garbage: ${LINES} lines in ${LINES / LINES_PER_JOURNAL} journals, ${counts.written} still written to, ` +
        `${counts.refused} read-only by name, ${strange.length} strange, seed ${random.seed}`,
    )
    expect(strange.slice(0, 3)).toEqual([])
  }) // F8, F9, F34
})

describe('an event nested without end', () => {
  const deep = '['.repeat(50_000) + ']'.repeat(50_000)
  const message = `{"id":"deep","type":"message","from":"user","to":"ada","content":"x","timestamp":1,"extra":${deep}}`

  it.for([
    `{"type":"message.sent","message":${message}}`,
    `{"type":"team.restored","state":${deep},"lost":[],"from":"x"}`,
  ])('is skipped, and the team goes on', async (event) => {
    const last = /"id":"([^"]*)","after":"[^"]*"[^\n]*\n*$/.exec(readFileSync(journal(), 'utf8'))?.[1]
    const line = withSum(`{"v":1,"id":"fuzz","after":"${last}","at":1,"by":{"name":"user"},"events":[${event}]`)
    appendFileSync(journal(), Buffer.concat([NEWLINE, line, NEWLINE]))
    const { team, views } = await open()
    await team.run({ type: 'task.update', id: '2', subject: 'still here' })
    await views.write(team.state, team.cursor)
    expect(team.state.tasks.size).toBe(3)
    expect(unreadOf(team.state, 'ada')).toHaveLength(2)
    await team.close()
  }) // F9, F34
})

describe('a file broken by hand', () => {
  const broken = [
    '',
    '{',
    '[]',
    'null',
    '"text"',
    '{"seq":"x"}',
    '{"__proto__":{"seq":9}}',
    '\u0000\u0001',
    '{"seq":1e999}',
  ]
  const files = ['.teams/crash/config.json', '.tasks/crash/2.json', '.teams/crash/snapshot.json']

  it.for(files)('%s is archived with a warning and written again', async (name) => {
    const path = join(fragile.dir, name)
    for (const text of broken) {
      fragile.reset()
      writeFileSync(path, text)
      const warnings: string[] = []
      const { team, views } = await fragile.open(realDisk, (message) => warnings.push(message))
      await team.run({ type: 'task.update', id: '2', subject: 'still here' })
      await views.repair(team.state, team.cursor)
      expect(await views.differences(team.state, team.cursor), text).toEqual([])
      expect(team.state.tasks.size).toBe(3)
      await team.close()
      if (name.endsWith('snapshot.json') || text === '{"seq":1e999}') continue
      const archived = readdirSync(join(path, '..')).filter((other) => other.endsWith('.broken'))
      expect(archived, text).toHaveLength(1)
      expect(readFileSync(join(path, '..', archived[0]!), 'utf8')).toBe(text)
      expect(warnings.join('\n')).toContain(archived[0])
    }
  }) // F8, F23

  it('delivers the good lines of an inbox file and keeps the bad ones in a file beside it', async () => {
    const random = createRandom()
    const inbox = join(fragile.dir, '.teams', TEAM, 'inbox', 'bob.jsonl')
    const good: string[] = []
    {
      const { team } = await open()
      await team.ingest()
      expect(unreadOf(team.state, 'bob'), 'a file that is not there is an empty one').toEqual([])
      await team.close()
    }
    for (let n = 0; n < 300; n++) {
      const bad = Buffer.from(bytes(random, 40).filter((byte) => byte !== 10))
      // Never by chance the beginning of something that the next line could end.
      appendFileSync(inbox, Buffer.concat([Buffer.from('!'), bad, NEWLINE]))
      const content = `good ${n} \u2028 "quoted"`
      appendFileSync(inbox, `${JSON.stringify({ type: 'message', from: 'ci', content, __proto__: null })}\n`)
      good.push(content)
    }
    const { team } = await open()
    await team.ingest()
    expect(unreadOf(team.state, 'bob').map(({ message }) => message.content)).toEqual(good)
    const rejected = readFileSync(inbox.replace('bob.jsonl', 'bob.rejected.jsonl'), 'utf8').split('\n').filter(Boolean)
    expect(rejected).toHaveLength(300)
    await team.close()
  }) // A64, F8, F9, D5
})

const NEWLINE = Buffer.from('\n')

const open = (): Promise<Opened> => fragile.open(closingDisk().disk)

/** Something of every kind of event, so that each can be garbled. */
async function liveALittle(): Promise<void> {
  const { team, store } = await open()
  const ada = { by: { name: 'ada' } }
  const runtime = store.presence.self
  const steps: [Command, Acting?][] = [
    [{ type: 'task.claim', id: '1', lease: 3600 }, ada],
    [{ type: 'task.renew', id: '1' }, ada],
    [{ type: 'task.fail', id: '1', reason: 'flaky' }, ada],
    [{ type: 'task.update', id: '1', status: 'pending' }],
    [{ type: 'task.update', id: '1', priority: 9, addBlockedBy: ['3'] }],
    [{ type: 'task.claim', id: '3' }, ada],
    [{ type: 'request.open', kind: 'plan_approval', to: 'lead', content: 'may I?', deadline: 3600 }, ada],
    [{ type: 'task.complete', id: '3', result: 'done', commit: 'abc' }, ada],
    [{ type: 'supervise', runtime }],
    [{ type: 'member.spawn', name: 'eve', role: 'dev', runtime, prompt: 'work' }],
    [{ type: 'member.lose', name: 'eve', reason: 'test' }],
    [{ type: 'mail.take', member: 'lead', taker: runtime }],
    [{ type: 'member.join', name: 'cyd', role: 'qa', kind: 'human' }],
    [{ type: 'member.stop', name: 'cyd' }],
  ]
  for (const [command, as] of steps) {
    const answer = await team.run(command, as)
    if (isRefusal(answer)) throw new Error(`${command.type}: ${refusalText(answer)}`)
    if ('mail' in answer && answer.mail) await team.acknowledge('lead', ['letter-1'], answer.mail.take)
  }
  await team.report([{ type: 'member.activity', name: 'eve', generation: 1, status: 'idle' }])
  await team.ingest()
  await team.close()
}

/** Opens, reads and writes; returns what should never happen. */
async function tryOut(facts: string | undefined, counts: Record<string, number>): Promise<string[]> {
  try {
    const { team } = await open()
    try {
      await team.refresh()
      const now = factsOf(team.state)
      if (facts !== undefined && now !== facts) return [`the state was ${now}`]
      const answer = await team.run({ type: 'member.join', name: 'newcomer', role: 'dev' })
      counts.written!++
      return isRefusal(answer) && facts !== undefined ? [`refused: ${refusalText(answer)}`] : []
    } finally {
      await team.close()
    }
  } catch (error) {
    counts.refused!++
    return error instanceof TeamError ? [] : [`${error instanceof Error ? error.stack : error}`]
  }
}

/** What was acknowledged before the garbage came: roster, board, and who still has to read what. */
function factsOf(state: TeamState): string {
  const members = ['ada', 'bob'].map((name) => memberNamed(state, name)?.generation)
  const tasks = ['1', '2', '3'].map((id) => state.tasks.get(id)?.subject)
  // A line with a proper sum may well bring more mail.
  const mail = ['letter-1', 'letter-2'].map((id) => state.mailboxes.get('ada')?.has(id))
  return JSON.stringify([state.team.get()?.name, members, tasks, mail])
}

/**
 * any       whatever a disk or a person may leave; nearly always something that forbids writing
 * whole     records with a proper sum that make no sense and lose against what was decided before
 * accepted  the same, and each follows the last decision, so that it counts
 */
function makeLines(random: Random, valid: readonly string[], kind: 'any' | 'whole' | 'accepted'): Buffer[] {
  let last = valid.flatMap((line) => /"id":"([^"]*)","after"/.exec(line)?.[1] ?? []).at(-1)
  return Array.from({ length: LINES_PER_JOURNAL }, () => {
    if (kind === 'any') return fuzz(random, valid)
    const body = mutate(random, random.pick(valid), 'contents')
    if (kind === 'whole' || !body.includes('"after":')) return withSum(body)
    const id = `fuzz-${random.below(1e9)}`
    const chained = body.replace(/"id":"[^"]*","after":"[^"]*"/, `"id":"${id}","after":"${last}"`)
    last = id
    return withSum(chained)
  })
}

/** One line of garbage: what a broken disk, a broken program or a mean person would leave. */
function fuzz(random: Random, valid: readonly string[]): Buffer {
  const line = random.pick(valid)
  switch (random.below(8)) {
    case 0:
      return Buffer.from(bytes(random, 200).filter((byte) => byte !== 10))
    case 1: {
      const changed = Buffer.from(line)
      changed[random.below(changed.length)] = 11 + random.below(240)
      return changed
    }
    case 2:
      return Buffer.from(line.slice(0, random.below(line.length)))
    case 3:
      return Buffer.from(line.slice(random.below(line.length)))
    case 4:
      return Buffer.from(`${line.slice(0, random.below(line.length))}${random.pick(valid)}`)
    case 5:
      return Buffer.from(random.pick(AWKWARD))
    default:
      return withSum(mutate(random, line, 'all'))
  }
}

const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
const AWKWARD = [
  'null',
  '{}',
  '[]',
  '{"v":1}',
  '{"v":1,"id":""}',
  '{"v":99,"id":"x"}',
  '\u0000',
  deep,
  `{"v":1,"id":${deep}}`,
]

/** Values that programs stumble over, in place of any value of a record. */
const VALUES = [
  'null',
  '1e999',
  '-1',
  '1e308',
  '9007199254740993',
  '""',
  '"__proto__"',
  '{}',
  '[]',
  'true',
  '"\\ud800"',
  deep,
]
const MEMBERS = [
  '"__proto__":{"x":1}',
  '"constructor":1',
  '"toString":null',
  '"events":[null]',
  '"events":{"type":"team.deleted"}',
  '"by":{"name":{"length":1}}',
  '"by":7',
]
const STORE_MEMBERS = [
  '"needs":["plans@9"]',
  '"needs":1',
  '"needs":[{}]',
  '"tries":-1',
  '"tries":"x"',
  '"after":"nowhere"',
]
/**
 * A record that is whole and has a proper sum, and yet says something that no writer of ours would write. `contents` leaves alone what the
 * store itself looks at, so that the fold gets to see the rest.
 */
function mutate(random: Random, line: string, what: 'all' | 'contents'): string {
  let body = line.slice(0, line.lastIndexOf(',"sum":'))
  for (let times = 1 + random.below(3); times > 0; times--) {
    if (random.below(4) === 0)
      body = `${body},${random.pick(what === 'all' ? [...STORE_MEMBERS, ...MEMBERS] : MEMBERS)}`
    else {
      const from = what === 'all' ? 0 : body.indexOf('"at":')
      const values = [...body.matchAll(/(?<=":)("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|null|true|false)/g)]
      const value = random.pick(values.filter(({ index }) => index >= from))
      body = body.slice(0, value.index) + random.pick(VALUES) + body.slice(value.index + value[0].length)
    }
  }
  // Mostly a new id: a repeated one would only be skipped.
  return random.below(4) > 0 ? body.replace(/"id":"[^"]*"/, `"id":"fuzz-${random.below(1e9)}"`) : body
}

function withSum(body: string): Buffer {
  const sum = createHash('sha256').update(body).digest('hex').slice(0, 16)
  return Buffer.from(`${body},"sum":"${sum}"}`)
}

function bytes(random: Random, most: number): number[] {
  return Array.from({ length: 1 + random.below(most) }, () => random.below(256))
}

function show(line: Buffer): string {
  return JSON.stringify(line.toString('utf8', 0, 300))
}
