import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { createMembership } from '../../agent/membership.ts'
import { openTeam } from '../../journal/team-handle.ts'
import { openMemoryStore } from '../../stores/memory/store.ts'
import { unreadOf } from '../../team/state.ts'
import { toolHarness } from '../../testing/harnesses/tool-harness.ts'
import { defineTool } from '../define-tool.ts'
import { announcingReserved } from './announce-reserved.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-announce-')))
  mkdirSync(join(root, 'src'))
  writeFileSync(join(root, 'src', 'a.ts'), 'old')
})
afterEach(() => rmSync(root, { recursive: true }))

it('informs the owner of a reserved file that a stopped command has changed', async () => {
  await using store = await openMemoryStore()
  await using team = await openTeam(store, 'web')
  await team.run({ type: 'team.create', team: 'web' })
  for (const name of ['ada', 'bob']) await team.run({ type: 'member.join', name, role: 'dev' })
  await team.run({ type: 'task.add', tasks: [{ subject: 'users', files: ['src/**'] }] })
  await team.run({ type: 'task.claim', id: '1' }, { by: { name: 'bob' } })
  const membership = createMembership({ team, by: { name: 'ada' } }, () => false)
  const stop = new AbortController()
  const command = defineTool({
    name: 'bash',
    description: '',
    input: z.object({}),
    action: () => ({ kind: 'run', tool: 'bash', command: 'make' }),
    async run() {
      writeFileSync(join(root, 'src', 'a.ts'), 'new and longer')
      stop.abort(new Error('stopped'))
      throw stop.signal.reason
    },
  })
  const [tool] = announcingReserved([command])
  const context = toolHarness({
    root,
    signal: stop.signal,
    memberships: () => [membership],
  })
  await expect(tool!.run({}, context)).rejects.toThrow('stopped')
  expect(unreadOf(team.state, 'bob').map(({ message }) => message.content)).toEqual([
    expect.stringContaining('ran a command that changed src/a.ts, which your task 1 (users) reserves'),
  ])
}) // T33
