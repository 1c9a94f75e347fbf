import fs, { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { START } from '../../src/journal/log/cursor.ts'
import type { Log } from '../../src/journal/log/store.ts'
import { openTeam } from '../../src/journal/team-handle.ts'
import { type Disk, realDisk } from '../../src/stores/files/disk.ts'
import { openFileStore } from '../../src/stores/files/store.ts'
import { runtimeOf, thisRuntime } from '../../src/stores/identity.ts'
import { isRefusal } from '../../src/team/refusal.ts'
import { unreadOf } from '../../src/team/state.ts'
import { CrashError } from '../../src/testing/faulty-disk.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { FOREIGN, type FragileTeam, makeFragileTeam, TEAM } from './fragile-team.ts'
import { powerCutDisk } from './power-cut-disk.ts'

let fragile: FragileTeam
beforeEach(async () => {
  fragile = await makeFragileTeam()
})
afterEach(() => fragile[Symbol.dispose]())

const journal = () => join(fragile.dir, '.teams', TEAM, 'journal.jsonl')
const inbox = () => join(fragile.dir, '.teams', TEAM, 'inbox', 'lead.jsonl')
const foreignLine = (content: string) => `${JSON.stringify({ type: 'message', from: 'ci', content })}\n`

describe('the journal', () => {
  it('writes a journal record in one call, so that no other process writes inside of it', async () => {
    const { team: other } = await fragile.open(realDisk)
    await other.refresh()
    const inBetween: Promise<unknown>[] = []
    const disk: Disk = {
      ...realDisk,
      writeSync(fd, bytes) {
        const written = realDisk.writeSync(fd, bytes)
        // What another process would do if it were its turn right now: append writes before it awaits anything.
        const id = `between-${inBetween.length}`
        if (inBetween.length < 3) inBetween.push(other.log.append([{ id, at: 0, by: { name: 'user' }, events: [] }]))
        return written
      },
    }
    const { team } = await fragile.open(disk)
    const sent = await team.send({ to: 'bob', content: 'whole' }, { commandId: 'whole-1' })
    expect(sent).toMatchObject([{ outcome: 'queued' }])
    await Promise.all(inBetween)
    await other.refresh()
    expect(unreadOf(other.state, 'bob').map(({ message }) => message.content)).toEqual(['whole'])
    expect(other.log.faults()).toEqual([])
    await team.close()
    await other.close()
  }) // A70, F34

  it('reads the record behind one whose writer died in the middle of its line', async () => {
    appendFileSync(journal(), '\n{"v":1,"id":"half","by":{"na')
    const { team } = await fragile.open(realDisk)
    const sent = await team.send({ to: 'bob', content: 'after a death' }, { commandId: 'after-1' })
    expect(sent).toMatchObject([{ outcome: 'queued' }])
    await team.close()
    const { team: next } = await fragile.open(realDisk)
    await next.refresh()
    expect(unreadOf(next.state, 'bob')).toHaveLength(1)
    expect(next.log.faults().map(({ kind }) => kind)).toEqual(['torn'])
    await next.close()
  }) // F1, F22, F34

  it('stops reading at a decision whose predecessor is missing', async () => {
    const lines = readFileSync(journal(), 'utf8').split('\n')
    const added = lines.findIndex((line) => line.includes('"command":"member.join"') && line.includes('"bob"'))
    writeFileSync(journal(), lines.toSpliced(added, 1).join('\n'))
    const { team } = await fragile.open(realDisk)
    await team.refresh()
    expect(team.state.tasks.size).toBe(0)
    expect(team.log.faults()).toMatchObject([{ kind: 'broken chain' }])
    await expect(team.run({ type: 'member.join', name: 'cyd', role: 'dev' })).rejects.toThrow('is not in the log')
    await team.close()
  }) // B58, F34

  it('keeps an acknowledged record through a power cut', async () => {
    const power = powerCutDisk()
    const { team } = await fragile.open(power.disk)
    await team.send({ to: 'bob', content: 'durable' }, { commandId: 'durable-1' })
    await team.run({ type: 'task.claim', id: '2' }, { by: { name: 'ada' } })
    power.cut('lost')
    const { team: next } = await fragile.open(realDisk)
    await next.refresh()
    expect(unreadOf(next.state, 'bob')).toHaveLength(1)
    expect(next.state.tasks.get('2')).toMatchObject({ status: 'in_progress', owner: 'ada' })
    await next.close()
  }) // B58, F2

  it('refuses to write to a journal that is shorter than its views show', async () => {
    const whole = readFileSync(journal())
    writeFileSync(journal(), whole.subarray(0, whole.lastIndexOf('\n{"v":1') + 1))
    const { team } = await fragile.open(realDisk)
    await team.refresh()
    await expect(team.run({ type: 'member.join', name: 'cyd', role: 'dev' })).rejects.toThrow('its end was lost')
    await team.close()
  }) // F1

  it('syncs the journal before a view shows it', async () => {
    let synced = 0
    const ahead: number[] = []
    let views = 0
    const disk: Disk = {
      ...realDisk,
      async fdatasync(fd) {
        const { size } = realDisk.fstatSync(fd)
        await realDisk.fdatasync(fd)
        synced = size
      },
      renameSync(from, to) {
        if (to.endsWith('config.json')) {
          views++
          const { seq } = JSON.parse(readFileSync(from, 'utf8'))
          if (seq > synced) ahead.push(seq)
        }
        realDisk.renameSync(from, to)
      },
    }
    const { team } = await fragile.open(disk)
    await team.refresh()
    const working = { type: 'member.activity', name: 'ada', generation: 1, status: 'working' } as const
    await team.report([working], { until: 'written' })
    await team.close()
    expect({ ahead, isShown: views > 0 }).toEqual({ ahead: [], isShown: true })
  }) // F2

  it('makes the record of a dead process durable before it answers from it', async () => {
    const power = powerCutDisk()
    const { team: dying } = await fragile.open({ ...power.disk, fdatasync: () => new Promise(() => {}) })
    void dying.run({ type: 'task.claim', id: '2' }, { by: { name: 'ada' }, commandId: 'claim-1' })
    await fragileSees((state) => state.tasks.get('2')?.status === 'in_progress')
    const { team } = await fragile.open(power.disk)
    const again = await team.run({ type: 'task.claim', id: '2' }, { by: { name: 'ada' }, commandId: 'claim-1' })
    expect(again).toMatchObject({ tasks: [{ id: '2', owner: 'ada' }] })
    power.cut('kept')
    const { team: next } = await fragile.open(realDisk)
    await next.refresh()
    expect(next.state.tasks.get('2')).toMatchObject({ status: 'in_progress', owner: 'ada' })
    await next.close()
  }) // B58, F2

  it('answers a command that changes nothing when what it relies on in the same write is durable', async () => {
    let release = () => {}
    const synced = new Promise<void>((resolve) => {
      release = resolve
    })
    const { team } = await fragile.open({ ...realDisk, fdatasync: () => synced })
    const answered: string[] = []
    const claim = async (which: string) => {
      await team.run({ type: 'task.claim', id: '2' }, { by: { name: 'ada' } })
      answered.push(which)
    }
    const claims = [claim('the claim'), claim('that ada holds it already')]
    await fragileSees((state) => state.tasks.get('2')?.status === 'in_progress')
    for (let i = 0; i < 20; i++) await new Promise(setImmediate)
    expect(answered).toEqual([])
    release()
    await Promise.all(claims)
    await team.close()
  }) // F2

  it('gives the same answer twice to a command that is sent twice at once', async () => {
    const { team } = await fragile.open(realDisk)
    const claim = () => team.run({ type: 'task.claim', id: '2' }, { by: { name: 'ada' }, commandId: 'twice' })
    const [first, second] = await Promise.all([claim(), claim()])
    expect(first).toMatchObject({ tasks: [{ id: '2', owner: 'ada', attempts: 1 }] })
    expect(second).toEqual(first)
    await team.close()
  }) // B58, F22

  it('wakes a waiting reader when another file replaced the journal, without polling', async () => {
    await using store = await openFileStore({ dir: fragile.dir, poll: HOUR })
    const before = await store.log(`${TEAM}/journal`)
    const ended = new AbortController()
    const replaced = before.changed(await endOf(before), HOUR, ended.signal)
    // As `check --repair` does it.
    renameSync(journal(), `${journal()}.damaged`)
    writeFileSync(journal(), readFileSync(`${journal()}.damaged`))
    expect(await soon(replaced)).toBe('woken')
    // Hints of the replacement itself must be over: they would wake the next one too.
    await sleep(50)
    const log = await store.log(`${TEAM}/journal`)
    const woken = log.changed(await endOf(log), HOUR, ended.signal)
    await sleep(50)
    const { team } = await fragile.open(realDisk)
    await team.send({ to: 'bob', content: 'wake up' })
    await team.close()
    expect(await soon(woken)).toBe('woken')
    ended.abort()
  }) // F22
})

describe('inbox files', () => {
  it('keeps lines written while an inbox file is archived', async () => {
    const slow = fs.openSync(inbox(), 'a')
    let written = 0
    const late = (path: string) => {
      if (path !== inbox() || written >= 3) return
      fs.writeSync(slow, foreignLine(`late ${written++}`))
    }
    const disk: Disk = {
      ...realDisk,
      readFileSync(path) {
        const bytes = realDisk.readFileSync(path)
        late(path)
        return bytes
      },
      renameSync(from, to) {
        late(from)
        realDisk.renameSync(from, to)
        late(from)
      },
    }
    const { team } = await fragile.open(disk)
    await team.ingest()
    fs.closeSync(slow)
    await team.ingest()
    const late3 = Array.from({ length: written }, (_, i) => `late ${i}`)
    expect(written).toBeGreaterThan(0)
    expect(unreadOf(team.state, 'lead').map(({ message }) => message.content)).toEqual([...FOREIGN, ...late3])
    await team.close()
  }) // A70, F1

  it('archives an inbox file under a unique name while another process archives it too', async () => {
    let isDone = false
    const disk: Disk = {
      ...realDisk,
      renameSync(from, to) {
        if (from === inbox() && !isDone) {
          isDone = true
          // Another process archives it first and dies; then a program writes again.
          archiveAndDie()
          appendFileSync(inbox(), foreignLine('third'))
        }
        realDisk.renameSync(from, to)
      },
    }
    const archiveAndDie = await dyingIngester()
    const { team } = await fragile.open(disk)
    await team.ingest()
    await team.ingest()
    expect(isDone).toBe(true)
    expect(
      unreadOf(team.state, 'lead')
        .map(({ message }) => message.content)
        .sort(),
    ).toEqual([...FOREIGN, 'third'].sort())
    await team.close()
  }) // A70, F1
})

describe('decisions of a team', () => {
  it('refuses a claim whose files overlap another claim', async () => {
    const { team } = await fragile.open(realDisk)
    await team.run({ type: 'task.claim', id: '2' }, { by: { name: 'ada' } })
    const answer = await team.run({ type: 'task.claim', id: '3' }, { by: { name: 'bob' } })
    expect(answer).toMatchObject({ code: 'files_overlap' })
    await team.close()
  }) // C43, C44

  it('ignores what a replaced generation writes', async () => {
    const { team, store } = await fragile.open(realDisk)
    await team.run({ type: 'supervise', runtime: store.presence.self })
    await team.run({ type: 'member.spawn', name: 'eve', role: 'dev', runtime: runtimeOf(process.ppid) })
    const old = { name: 'eve', generation: 1, epoch: 1 }
    await team.run({ type: 'task.claim', id: '2' }, { by: old })
    await team.run({ type: 'member.lose', name: 'eve', reason: 'test' })
    await team.run({ type: 'member.spawn', name: 'eve', role: 'dev', runtime: runtimeOf(process.ppid) })
    const fresh = { name: 'eve', generation: 2, epoch: 1 }
    await team.run({ type: 'task.claim', id: '2' }, { by: fresh })
    expect(await team.run({ type: 'task.complete', id: '2' }, { by: old })).toMatchObject({ code: 'fenced' })
    const late = { id: 'late', type: 'message', from: 'eve', to: 'bob', content: 'done', timestamp: 0 } as const
    expect(await team.report([{ type: 'message.sent', message: late }], { by: old })).toMatchObject([
      { outcome: 'bounced' },
    ])
    await team.close()
  }) // B66, F14, F33

  it('gives mail that a living process took to no other process, however long it takes', async () => {
    const clock = manualClock()
    const { store } = await fragile.open(realDisk)
    const team = await openTeam(store, TEAM, { clock })
    const parent = runtimeOf(process.ppid)
    const first = await team.run({ type: 'mail.take', member: 'ada', taker: parent })
    expect(isRefusal(first) ? [] : first.mail?.messages).toHaveLength(2)
    clock.advance(3600)
    const second = await team.run({ type: 'mail.take', member: 'ada', taker: thisRuntime() })
    expect(isRefusal(second) ? [] : second.mail?.messages).toHaveLength(0)
    await team.close()
  }) // A69, F2
})

const HOUR = 3_600_000

/** Long enough for any machine, and far from the hour after which a sleeper would look by itself. */
function soon(waking: Promise<void>): Promise<string> {
  return Promise.race([waking.then(() => 'woken'), sleep(5000, 'still asleep', { ref: false })])
}

async function endOf(log: Log) {
  let cursor = START
  for (let batch = await log.read(cursor); batch.length > 0; batch = await log.read(cursor)) {
    const { seq, record } = batch.at(-1)!
    cursor = { seq, id: record.id, last: '' }
  }
  return cursor
}

/** Resolves when another process sees that it is so. */
async function fragileSees(isSo: (state: Awaited<ReturnType<typeof openTeam>>['state']) => boolean): Promise<void> {
  const { team } = await fragile.open(realDisk)
  for (let tries = 0; tries < 1000 && !isSo(team.state); tries++) {
    await team.changed(10)
    await team.refresh()
  }
  await team.close()
}

/** A process that is about to archive the inbox file and dies right after it has. */
async function dyingIngester(): Promise<() => void> {
  let isDead = false
  const disk = Object.fromEntries(
    Object.entries(realDisk).map(([name, call]) => [
      name,
      (...args: never[]) => {
        if (isDead) throw new CrashError('dead')
        const result = (call as (...args: never[]) => unknown)(...args)
        isDead = name === 'renameSync'
        return result
      },
    ]),
  ) as unknown as Disk
  const { team, views } = await fragile.open(disk)
  await team.refresh()
  // Until it dies nothing is awaited in there.
  return () => void views.collect(team.state).catch(() => {})
}
