import { mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import { runToEnd } from '../testing/harnesses/session-harness.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'
import { openSession } from './open-session.ts'

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

/** Bob holds a task that reserves src/api; the writer makes these calls meanwhile, one after the other. */
function written(...calls: ReturnType<typeof call>[]) {
  return writtenBy('ada', ...calls)
}

async function writtenBy(writer: 'ada' | 'lead', ...calls: ReturnType<typeof call>[]) {
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
      { agent: writer, when: { answer: writer === 'lead' ? 2 : 1 }, calls },
      { agent: 'lead', times: 'always', text: 'Fine.' },
      { agent: 'ada', times: 'always', text: 'Written.' },
      { agent: 'bob', when: { answer: 1 }, calls: [call('SendMessage', { to: 'ada', content: 'Go.' })] },
      { agent: 'bob', times: 'always', text: 'I wait.' },
    ],
  })
  await using session = await openSession({ workspace, model, permissions: { mode: 'bypassPermissions' } })
  const { events } = await runToEnd(session, 'Go', AbortSignal.timeout(30_000))
  const results = events.flatMap((event) =>
    event.type === 'tool_finished' && event.agent === writer ? [event.result.text] : [],
  )
  const messages = events.flatMap((event) =>
    event.type === 'team' && event.event.type === 'message.sent' ? [event.event.message] : [],
  )
  return {
    results,
    inputs: messages.filter(({ to, from }) => to === 'bob' && from === writer).map(({ content }) => content),
  }
}

describe('a file that the claim of a teammate reserves', () => {
  it.for([
    ['by its name', 'src/api/users.ts'],
    ['through a link', 'link/users.ts'],
    ['as a new file below it', 'src/api/new/roles.ts'],
    ['in another spelling', './src/../src/api/users.ts'],
  ])('is written %s, and both writer and owner are notified', async ([, path]) => {
    const { results, inputs } = await written(call('write_file', { path, content: 'new' }))
    expect(results[0]).toContain('is reserved by task 1 (users), which bob works on right now')
    expect(inputs).toEqual([expect.stringMatching(/^\[ada wrote src\/api\/.*, which your task 1 \(users\) reserves/)])
  }) // T33

  it('is edited, and both are notified; its owner once, however often it is written', async () => {
    const { results, inputs } = await written(
      call('read_file', { path: 'src/api/users.ts' }),
      call('edit_file', { path: 'src/api/users.ts', old_text: 'old', new_text: 'newer' }),
      call('write_file', { path: 'src/api/users.ts', content: 'newest' }),
    )
    expect(results.filter((text) => text.includes('is reserved by task 1'))).toHaveLength(2)
    expect(inputs).toHaveLength(1)
    expect(readFileSync(join(dir, 'src', 'api', 'users.ts'), 'utf8')).toBe('newest')
  }) // T33

  it.for([
    ['a redirection', 'echo x > src/api/users.ts'],
    ['a redirection through a link', 'echo x >> link/users.ts'],
    ['sed -i', 'sed -i s/old/new/ src/api/users.ts'],
    ['cp that keeps the times', 'touch -r src/api/users.ts n && cp -p n src/api/users.ts'],
    ['mv', 'echo x > n && mv n src/api/users.ts'],
    ['rm', 'rm src/api/users.ts'],
    ['a new file', 'mkdir src/api/new && echo x > src/api/new/users.ts'],
    ['a renamed folder', 'mv src/api src/gone'],
    [
      'git checkout',
      'git init -q . && git add src && echo x > src/api/users.ts && git checkout -q -- src/api/users.ts',
    ],
    ['a script', 'printf "cd src/api && printf new > users.ts" > n.sh && sh n.sh; false'],
    ['a command that is ended by its time-out', 'echo x > src/api/users.ts; sleep 30'],
  ])('is written by %s in bash, and both writer and owner are notified', async ([, command]) => {
    const { results, inputs } = await written(call('bash', { command, timeout: 2_000 }))
    expect(results[0]).toContain('users.ts is reserved by task 1 (users), which bob works on right now')
    expect(inputs).toEqual([
      expect.stringMatching(
        /^\[ada ran a command that changed src\/api\/.*users\.ts, which your task 1 \(users\) reserves/,
      ),
    ])
  }) // T33

  it('is written by a background command, and both are notified when that ends', async () => {
    const { inputs, results } = await writtenBy(
      'lead',
      call('bash', { command: 'echo x > src/api/users.ts', run_in_background: true }),
      call('TaskOutput', { task_id: 'b000001' }),
    )
    expect(inputs).toContainEqual(expect.stringContaining('lead ran a command that changed src/api/users.ts'))
    expect(results.at(-1)).toContain('is reserved by task 1 (users)')
  }) // T33

  it('is announced in one message however many files a command changes', async () => {
    const command = 'for i in 1 2 3 4 5 6 7 8; do echo x > src/api/f$i; done'
    const { results, inputs } = await written(call('bash', { command }), call('bash', { command }))
    expect(results.filter((text) => text.includes('src/api/f5 and 3 more files is reserved by task 1'))).toHaveLength(2)
    expect(inputs).toHaveLength(1)
  }) // T33

  it.for([
    ['reads it', 'cat src/api/users.ts link/users.ts; ls -lR src; git status'],
    ['writes beside it', 'echo x > src/apis.ts; mkdir -p other/src/api && echo x > other/src/api/users.ts'],
  ])('is not announced for a command that %s', async ([, command]) => {
    const { results, inputs } = await written(call('bash', { command }))
    expect([results.join().includes('reserved'), inputs]).toEqual([false, []])
  }) // T33

  it('is announced again to the next owner of the same task', async () => {
    const write = call('write_file', { path: 'src/api/users.ts', content: 'new' })
    const model = scriptedModel({
      parts: [
        {
          agent: 'lead',
          when: { user: 'Go' },
          calls: [
            call('TaskCreate', { subject: 'users', description: '', files: ['src/api/**'] }),
            call('Task', { name: 'bob', prompt: 'Wait.', task_id: '1' }),
            write,
          ],
        },
        {
          agent: 'lead',
          when: { user: 'Again' },
          calls: [call('Task', { name: 'cem', prompt: 'Wait.', task_id: '1' }), write],
        },
        { agent: ['bob', 'cem'], when: { answer: 1 }, calls: [call('SendMessage', { to: 'lead', content: 'Hello.' })] },
        { times: 'always', text: 'Fine.' },
      ],
    })
    await using session = await openSession({ workspace, model, permissions: { mode: 'bypassPermissions' } })
    const inputs: string[] = []
    const go = async (prompt: string) => {
      const { events } = await runToEnd(session, prompt, AbortSignal.timeout(30_000))
      for (const event of events)
        if (event.type === 'team' && event.event.type === 'message.sent') {
          const { to, content } = event.event.message
          if (content.includes('lead wrote src/api/users.ts')) inputs.push(to)
        }
    }
    await go('Go')
    await session.team.run({ type: 'task.update', id: '1', status: 'pending' })
    await session.team.run({ type: 'member.stop', name: 'bob', reason: 'not needed' })
    await go('Again')
    expect(inputs).toEqual(['bob', 'cem'])
  }) // T33

  it('is not announced for files outside the reservation', async () => {
    const { results, inputs } = await written(call('write_file', { path: 'src/apis.ts', content: 'x' }))
    expect([results.join().includes('reserved'), inputs]).toEqual([false, []])
  }) // T33
})
