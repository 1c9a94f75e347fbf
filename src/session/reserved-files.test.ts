import { mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'
import { openSession } from './open-session.ts'
import { runToEnd } from './practice-run.ts'

let dir: string
let workspace: Workspace
beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-reserved-')))
  workspace = await openWorkspace({ cwd: dir, env: { DESKMATES_STATE: join(dir, 'state'), PATH: process.env.PATH } })
  mkdirSync(join(dir, 'src', 'api'), { recursive: true })
  writeFileSync(join(dir, 'src', 'api', 'users.ts'), 'old')
  symlinkSync(join('src', 'api'), join(dir, 'link'))
})
afterEach(() => workspace[Symbol.asyncDispose]())

const call = (tool: string, input: Record<string, unknown> = {}) => ({ tool, input })

/** Bob holds a task that reserves src/api; ada makes these calls meanwhile, one after the other. */
async function written(...calls: ReturnType<typeof call>[]) {
  const model = scriptedModel({
    parts: [
      {
        agent: 'lead',
        when: { answer: 1 },
        calls: [
          call('TaskCreate', { subject: 'users', description: '', files: ['src/api/**'] }),
          call('Task', { name: 'bob', prompt: 'Wait for ada.', task_id: '1' }),
          call('Task', { name: 'ada', prompt: 'Write.' }),
        ],
      },
      { agent: 'lead', times: 'always', text: 'Fine.' },
      { agent: 'ada', when: { answer: 1 }, calls },
      { agent: 'ada', times: 'always', text: 'Written.' },
      { agent: 'bob', when: { answer: 1 }, calls: [call('SendMessage', { to: 'ada', content: 'Go.' })] },
      { agent: 'bob', times: 'always', text: 'I wait.' },
    ],
  })
  await using session = await openSession({ workspace, model, permissions: { mode: 'bypassPermissions' } })
  const { events } = await runToEnd(session, 'Go', AbortSignal.timeout(30_000))
  const results = events.flatMap((event) =>
    event.type === 'called' && event.agent === 'ada' ? [event.result.text] : [],
  )
  const letters = events.flatMap((event) =>
    event.type === 'team' && event.event.type === 'message.sent' ? [event.event.message] : [],
  )
  return {
    results,
    told: letters.filter(({ to, from }) => to === 'bob' && from === 'ada').map(({ content }) => content),
  }
}

describe('a file that the claim of a teammate reserves', () => {
  it.for([
    ['by its name', 'src/api/users.ts'],
    ['through a link', 'link/users.ts'],
    ['as a new file below it', 'src/api/new/roles.ts'],
    ['in another spelling', './src/../src/api/users.ts'],
  ])('is written %s, and both writer and owner are told', async ([, path]) => {
    const { results, told } = await written(call('write_file', { path, content: 'new' }))
    expect(results[0]).toContain('is reserved by task 1 (users), which bob works on right now')
    expect(told).toEqual([expect.stringMatching(/^\[ada wrote src\/api\/.*, which your task 1 \(users\) reserves/)])
  }) // T33

  it('is edited, and both are told; its owner once, however often it is written', async () => {
    const { results, told } = await written(
      call('read_file', { path: 'src/api/users.ts' }),
      call('edit_file', { path: 'src/api/users.ts', old_text: 'old', new_text: 'newer' }),
      call('write_file', { path: 'src/api/users.ts', content: 'newest' }),
    )
    expect(results.filter((text) => text.includes('is reserved by task 1'))).toHaveLength(2)
    expect(told).toHaveLength(1)
    expect(readFileSync(join(dir, 'src', 'api', 'users.ts'), 'utf8')).toBe('newest')
  }) // T33

  it('is not announced for files outside the reservation', async () => {
    const { results, told } = await written(call('write_file', { path: 'src/apis.ts', content: 'x' }))
    expect([results.join().includes('reserved'), told]).toEqual([false, []])
  }) // T33
})
