import { describe, expect, it } from 'vitest'
import type { Script } from '../../src/models/scripted/script.ts'
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts'
import type { Session } from '../../src/session/session.ts'
import { createPlace, openMemoryStore } from '../../src/stores/memory/store.ts'
import { memberNamed } from '../../src/team/state.ts'
import { openTestSession, runToEnd } from '../../src/testing/harnesses/session-harness.ts'

const call = (tool: string, input: Record<string, unknown> = {}) => ({ tool, input })

/** Each store counts as a process of its own; all of them stay alive. */
async function open(place: ReturnType<typeof createPlace>, parts: Script['parts']): Promise<Session> {
  return openTestSession({ store: await openMemoryStore(place), model: scriptedModel({ parts }), team: 'web' })
}

const run = async (session: Session, prompt: string | undefined, signal?: AbortSignal) =>
  (await runToEnd(session, prompt, signal)).stop

describe('a session that was closed', () => {
  it('can be opened by another process while its own still runs, with idle teammates as they were', async () => {
    const place = createPlace()
    const first = await open(place, [
      { agent: 'lead', when: { user: 'Go' }, calls: [call('Task', { name: 'ada', prompt: 'The word is fig.' })] },
      { agent: ['lead', 'ada'], times: 'always', text: 'Here.' },
    ])
    await run(first, 'Go')
    await expect(open(place, [])).rejects.toThrow('Another process works on web')
    await first.close()

    await using second = await open(place, [
      { agent: 'lead', when: { user: 'Ask' }, calls: [call('SendMessage', { to: 'ada', content: 'Which word?' })] },
      { agent: 'ada', when: { user: 'Which word', conversation: 'The word is fig' }, text: 'Fig.' },
      { agent: 'lead', times: 'always', text: 'Well.' },
    ])
    const said: string[] = []
    second.team.watch(({ events }) => {
      for (const event of events) if (event.type === 'message.sent') said.push(event.message.content)
    })
    expect((await run(second, 'Ask')).kind).toBe('finished')
    expect(said).toContain('Fig.')
    expect(memberNamed(second.team.state, 'ada')).toMatchObject({ generation: 2, status: 'idle' })
    expect(second.team.state.supervisor.get().epoch).toBe(2)
  }) // F33

  it('releases the tasks its teammates hold, and gives them back when it is resumed', async () => {
    const place = createPlace()
    const stop = new AbortController()
    const first = await open(place, [
      {
        agent: 'lead',
        when: { user: 'Go' },
        calls: [
          call('TaskCreate', { subject: 'dig', description: '' }),
          call('Task', { name: 'ada', prompt: 'Dig.', task_id: '1' }),
        ],
      },
      { agent: 'lead', times: 'always', text: 'Well.' },
      {
        agent: 'ada',
        compose() {
          stop.abort()
          return { text: 'Too late.' }
        },
      },
    ])
    expect((await run(first, 'Go', stop.signal)).kind).toBe('aborted')
    await first.close()
    expect(first.team.state.tasks.get('1')).toMatchObject({ status: 'pending', ended: [{ end: 'owner parked' }] })
    expect(memberNamed(first.team.state, 'ada')).toMatchObject({ status: 'idle', parked: 'the run was interrupted' })

    await using second = await open(place, [
      { agent: 'ada', times: 1, calls: [call('TaskUpdate', { taskId: '1', status: 'completed', result: 'dug' })] },
      { agent: ['lead', 'ada'], times: 'always', text: 'Done.' },
    ])
    expect((await run(second, undefined)).kind).toBe('finished')
    expect(second.team.state.tasks.get('1')).toMatchObject({ status: 'completed', owner: 'ada', attempts: 2 })
  }) // F24, T34
})
