import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openAcceptedInstructions } from './accepted-instructions.ts'

let state: string
let time: number
const alive = new Set<string>()
beforeEach(() => {
  state = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-accepted-')))
  time = 1000
  alive.clear()
})
afterEach(() => rmSync(state, { recursive: true }))

function process(self: string) {
  alive.add(self)
  return openAcceptedInstructions(state, '/w', { now: () => time, self, isAlive: (runtime) => alive.has(runtime) })
}
const changed = (changedAt: number) => ({ path: 'AGENTS.md', hash: 'new', changedAt })

it('instructions that a session changes need acceptance, also if another session ran meanwhile', () => {
  const [first, second] = [process('p1'), process('p2')]
  first.begin('a')
  time = 2000
  second.begin('b')
  time = 3000
  second.end('b')
  expect(first.isAccepted(changed(4000))).toBe(false)
  time = 5000
  first.end('a')
  expect(first.isAccepted(changed(4000))).toBe(false)
  expect(first.isAccepted(changed(6000))).toBe(true)
}) // T17

it('instructions that a person changes after a killed session count once the next session has begun', () => {
  process('p1').begin('a')
  alive.delete('p1')
  time = 2000
  const next = process('p2')
  next.begin('b')
  time = 3000
  next.end('b')
  expect(next.isAccepted(changed(1500))).toBe(false)
  expect(next.isAccepted(changed(4000))).toBe(true)
}) // T17
