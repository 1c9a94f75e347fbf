import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AlarmClock } from '../../journal/clock.ts'
import { runtimeOf } from '../../stores/identity.ts'
import { inTurn } from './load-turn.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deskmates-turn-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A clock that calls `pause` instead of waiting. */
function clockWith(pause: () => void): AlarmClock {
  let now = 0
  return {
    now: () => now,
    in(seconds, alarm) {
      now += seconds
      pause()
      queueMicrotask(alarm)
      return () => {}
    },
  }
}

const never = clockWith(() => expect.unreachable('no other process loads plans'))
const markOf = (runtime: string) => join(folder, `.plan-load-${runtime}-0.lock`)

describe('loading plans of a folder', () => {
  it('waits until another process that loads plans of it is done, and leaves no mark', async () => {
    const mark = markOf(runtimeOf(process.ppid))
    writeFileSync(mark, '')
    let waits = 0
    const clock = clockWith(() => {
      if (++waits === 3) rmSync(mark)
    })
    expect(await inTurn(folder, clock, async () => readdirSync(folder).length)).toBe(1)
    expect([waits, readdirSync(folder)]).toEqual([3, []])
  }) // C39

  it('does not wait for a process that was killed, and removes its mark', async () => {
    const ended = execFileSync(process.execPath, ['-e', 'process.stdout.write(String(process.pid))'], {
      encoding: 'utf8',
    })
    const mark = markOf(runtimeOf(process.ppid).replace(/-\d+-\w+$/, `-${ended}-1`))
    writeFileSync(mark, '')
    await inTurn(folder, never, async () => {})
    expect(existsSync(mark)).toBe(false)
  }) // C39

  it('is given up when the other process does not end, with the mark to remove', async () => {
    const mark = markOf(runtimeOf(process.ppid))
    writeFileSync(mark, '')
    const waiting = inTurn(
      folder,
      clockWith(() => {}),
      async () => {},
    )
    await expect(waiting).rejects.toThrow(`if there is none, remove ${mark}`)
    expect(readdirSync(folder)).toHaveLength(1)
  })

  it('is done one after the other inside of a process, also after one that failed', async () => {
    const order: string[] = []
    const work = (name: string, fails = false) =>
      inTurn(folder, never, async () => {
        order.push(`${name} begins`)
        await Promise.resolve()
        order.push(`${name} ends`)
        if (fails) throw new Error(name)
      })
    await Promise.allSettled([work('first', true), work('second')])
    expect(order).toEqual(['first begins', 'first ends', 'second begins', 'second ends'])
    expect(readdirSync(folder)).toEqual([])
  })
})
