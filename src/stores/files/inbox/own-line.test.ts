import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TeamHarness, teamHarness } from '../../../testing/harnesses/team-harness.ts'
import { realDisk } from '../disk.ts'
import { openViews } from '../views/views.ts'

const ULID = '01M7GHBMJQKGBWKJRC0A61B9XE'
const OUTSIDE = '{"from":"ci","content":"from outside"}\n'

let dir: string
let world: TeamHarness
let warnings: string[]
beforeEach(() => begin())
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function begin(): void {
  dir = mkdtempSync(join(tmpdir(), 'deskmates-shown-'))
  mkdirSync(join(dir, '.teams/web'), { recursive: true })
  world = teamOfAda()
  warnings = []
}

function teamOfAda(): TeamHarness {
  const made = teamHarness('web')
  made.join('ada')
  return made
}

const inbox = (name = 'ada') => join(dir, `.teams/web/inbox/${name}.jsonl`)
const open = () => openViews({ dir, team: 'web', disk: realDisk, warn: (message) => warnings.push(message) })
const texts = () => world.inbox('ada').map(({ content }) => content)
const rejected = () =>
  existsSync(inbox('ada.rejected')) ? readFileSync(inbox('ada.rejected'), 'utf8').trim().split(/\n+/) : []
const show = () => open().write(world.state, { seq: world.journal.length * 10, id: '', last: '' })

async function ingest(): Promise<void> {
  const views = open()
  const incoming = await views.collect(world.state)
  const facts = incoming?.facts(world.state) ?? []
  if (facts.length > 0) world.report(facts)
  await incoming?.settle(world.state)
  await views.write(world.state, { seq: world.journal.length * 10, id: '', last: '' })
}

describe('a line that deskmates wrote to an inbox file', () => {
  it('never becomes an external message when one bit of it changes, and hides no other line', async () => {
    world.send({ to: 'ada', content: 'Look at "J", ada.\nThen rest.' }, 'user', ULID)
    await show()
    const whole = readFileSync(inbox())
    for (let at = 0; at < whole.length; at += 3) {
      rmSync(dir, { recursive: true })
      begin()
      world.send({ to: 'ada', content: 'Look at "J", ada.\nThen rest.' }, 'user', ULID)
      const bytes = Buffer.from(whole)
      bytes[at] = bytes[at]! ^ (1 << (at % 7))
      mkdirSync(join(dir, '.teams/web/inbox'))
      writeFileSync(inbox(), Buffer.concat([bytes, Buffer.from(OUTSIDE)]))
      await ingest()
      expect(texts(), `byte ${at}`).toEqual(['Look at "J", ada.\nThen rest.', 'from outside'])
      const shown = readFileSync(inbox(), 'utf8').trim().split(/\n+/)
      expect(shown.map((line) => JSON.parse(line).content, `byte ${at}`)).toEqual(texts())
    }
  })

  it('is rejected with the reason when its text was changed', async () => {
    world.send({ to: 'ada', content: 'pay 10' }, 'user', ULID)
    await show()
    writeFileSync(inbox(), readFileSync(inbox(), 'utf8').replace('pay 10', 'pay 90'))
    expect(await open().differences(world.state, { seq: 0, id: '', last: '' })).toContainEqual(
      expect.stringContaining('ada.jsonl: holds 1 damaged line of ours'),
    )
    await ingest()
    expect(texts()).toEqual(['pay 10'])
    expect(rejected().map((line) => JSON.parse(line))).toMatchObject([
      { reason: expect.stringContaining('damaged copy'), line: expect.stringContaining('pay 90') },
    ])
    expect(warnings.join()).toContain('not delivered')
  })

  it('restores a message that the journal has lost, once, as external and under its own id', async () => {
    world.send({ to: 'ada', content: 'do not lose me' }, 'user', ULID)
    await show()
    // The repaired journal does not know the message. The line stands there twice, as after putting the file aside.
    world = teamOfAda()
    appendFileSync(inbox(), readFileSync(inbox()))
    await ingest()
    await ingest()
    expect(world.inbox('ada')).toMatchObject([{ id: ULID, content: 'do not lose me', external: true }])
    expect(world.inbox('ada')[0]).not.toHaveProperty('view_sum')
  })

  it('is rejected when its id belongs to another message', async () => {
    world.send({ to: 'ada', content: 'mine' }, 'user', ULID)
    await show()
    const own = readFileSync(inbox(), 'utf8')
    world = teamOfAda()
    world.send({ to: 'ada', content: 'another message under this id' }, 'user', ULID)
    writeFileSync(inbox(), own)
    await ingest()
    expect(texts()).toEqual(['another message under this id'])
    expect(rejected()).toHaveLength(1)
  })

  it('is rejected when its id was not made by deskmates', async () => {
    world.send({ to: 'ada', content: 'said under a chosen id' }, 'user', 'release-1')
    await show()
    world = teamOfAda()
    await ingest()
    expect(texts()).toEqual([])
    expect(JSON.parse(rejected()[0] ?? '{}')).toMatchObject({
      reason: expect.stringContaining('send it again'),
      line: expect.stringContaining('said under a chosen id'),
    })
  })
})

describe('a line of another program', () => {
  it('is delivered with its own sum and the id of the message it answers', async () => {
    world.send({ to: 'ada', content: 'question' }, 'user', ULID)
    await show()
    appendFileSync(inbox(), '{"from":"ci","content":"one","sum":"0123456789abcdef"}\n')
    appendFileSync(inbox(), `{"id":"${ULID}","type":"message","from":"ci","content":"two"}\n`)
    await ingest()
    expect(texts()).toEqual(['question', 'one', 'two'])
    expect(rejected()).toEqual([])
  })
})
