import { describe, expect, it } from 'vitest'
import { jobEndedText } from '../../prompts/notices.ts'
import { type ToolHarness, toolHarness } from '../../testing/harnesses/tool-harness.ts'
import { runCall } from '../run-call.ts'
import type { Job, JobEnd } from '../tool.ts'
import { createJobs } from './jobs.ts'
import { taskOutput } from './task-output.ts'
import { taskStop } from './task-stop.ts'

const done: JobEnd = { state: 'completed', summary: 'done' }
const call = (context: ToolHarness, name: string, input: object) =>
  runCall([taskOutput, taskStop], { name, input }, context)
/** Ends when it is told to, by a stop too. */
function held() {
  let finish = (_: JobEnd) => {}
  const work = ({ signal }: { signal: AbortSignal }) =>
    new Promise<JobEnd>((resolve, reject) => {
      finish = resolve
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  return { work, finish: (end: JobEnd) => finish(end) }
}

describe('a job', () => {
  it('has an id of one character and six hex digits that stays unique after a resume', () => {
    const { outputs } = toolHarness()
    const jobs = createJobs({ outputs, onEnd: () => {}, before: 9 })
    expect([jobs.start('bash', 'x', async () => done).id, jobs.start('agent', 'x', async () => done).id]).toEqual([
      'b00000a',
      'a00000b',
    ])
  }) // A50

  it('is known by its id with kind, status, output so far and end, as long as its session lasts', async () => {
    const { jobs } = toolHarness()
    const { work, finish } = held()
    const job = jobs.start('agent', 'find the port', (context) => {
      context.write('looking')
      return work(context)
    })
    await Promise.resolve()
    expect(jobs.get(job.id)).toMatchObject({
      id: 'a000001',
      about: 'find the port',
      state: 'running',
      summary: undefined,
    })
    expect(job.output).toBe('looking')
    finish({ state: 'failed', summary: 'found none' })
    await job.ended
    expect(jobs.list()).toEqual([job])
    expect(job).toMatchObject({ state: 'failed', summary: 'found none', output: 'looking' })
  }) // A51

  it('ends in one state and reports it once, whatever its work does', async () => {
    const context = toolHarness()
    const works: (() => Promise<JobEnd>)[] = [
      async () => done,
      async () => ({ state: 'failed', summary: 'exit code 1' }),
      async () => Promise.reject(new Error('boom')),
      () => {
        throw new Error('boom at once')
      },
      async () => Promise.reject('no error at all'),
    ]
    const jobs = works.map((work) => context.jobs.start('bash', 'x', work))
    expect(jobs.map(({ state }) => state)).toEqual(works.map(() => 'running'))
    await Promise.all(jobs.map(({ ended }) => ended))
    expect(jobs.map(({ state, summary }) => `${state}: ${summary}`)).toEqual([
      'completed: done',
      'failed: exit code 1',
      'failed: Error: boom',
      'failed: Error: boom at once',
      'failed: Error: no error at all',
    ])
    await Promise.all(jobs.map((job) => job.stop()))
    expect(context.ended.length).toBe(jobs.length)
    expect(jobs.map(({ state }) => state)).not.toContain('stopped')
  }) // A52, F39

  it('stays stopped, even if its work says afterwards that it succeeded', async () => {
    const context = toolHarness()
    const ran: string[] = []
    const job = context.jobs.start('agent', 'x', async ({ signal }) => {
      ran.push('began')
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return done
    })
    await Promise.resolve()
    await Promise.all([job.stop(), job.stop()])
    const unborn = context.jobs.start('agent', 'x', async () => {
      ran.push('never')
      return done
    })
    await unborn.stop()
    expect([job.state, unborn.state, ran]).toEqual(['stopped', 'stopped', ['began']])
    expect(context.ended).toEqual([job, unborn])
  }) // F39

  it('ends with its owner', async () => {
    const { outputs } = toolHarness()
    const ended: Job[] = []
    const jobs = createJobs({ outputs, onEnd: (job) => void ended.push(job) })
    jobs.start('agent', 'x', held().work)
    jobs.start('agent', 'y', held().work)
    await jobs[Symbol.asyncDispose]()
    expect(ended.map(({ state }) => state)).toEqual(['stopped', 'stopped'])
  })

  it('is reported in one short notice', async () => {
    const context = toolHarness()
    const job = context.jobs.start('bash', 'npm test', async () => ({ state: 'failed', summary: '𝒳'.repeat(600) }))
    await job.ended
    const notice = jobEndedText(job)
    expect(notice).toContain('<task-id>b000001</task-id>\n<status>failed</status>\n<about>npm test</about>')
    expect(notice.length).toBeLessThan(750)
    expect(notice).toContain(`<summary>${'𝒳'.repeat(250)}…</summary>`)
  }) // A55
})

describe('TaskOutput', () => {
  it('waits for the end and gives status and output', async () => {
    const context = toolHarness()
    const job = context.jobs.start('bash', 'x', async ({ write }) => {
      write('half of ')
      write(Buffer.from('it'))
      return done
    })
    expect(JSON.parse((await call(context, 'TaskOutput', { task_id: job.id })).text)).toEqual({
      task_id: 'b000001',
      status: 'completed',
      summary: 'done',
      output: 'half of it',
    })
  }) // A53

  it('returns the output so far after its time-out, or at once with block false', async () => {
    const context = toolHarness()
    const { work, finish } = held()
    const job = context.jobs.start('bash', 'x', work)
    for (const input of [{ timeout: 1 }, { block: false }]) {
      const { text, isError } = await call(context, 'TaskOutput', { task_id: job.id, ...input })
      expect([JSON.parse(text), isError]).toEqual([{ task_id: 'b000001', status: 'running', output: '' }, undefined])
    }
    finish(done)
    await job.ended
  }) // A53

  it('stops waiting when it is aborted', async () => {
    const context = toolHarness()
    const job = context.jobs.start('bash', 'x', held().work)
    const waiting = call(context, 'TaskOutput', { task_id: job.id })
    context.stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await job.stop()
  })

  it('names the known jobs when an id is unknown', async () => {
    const context = toolHarness()
    for (const name of ['TaskOutput', 'TaskStop']) {
      const none = await call(context, name, { task_id: 'b123456' })
      expect([JSON.parse(none.text), none.isError]).toEqual([
        { error: 'Task b123456 not found. There are no jobs.' },
        true,
      ])
    }
    await context.jobs.start('bash', 'x', async () => done).ended
    const { text } = await call(context, 'TaskStop', { task_id: 'b123456' })
    expect(JSON.parse(text)).toEqual({ error: 'Task b123456 not found. Known jobs: b000001 (completed).' })
  }) // A53, A54
})

describe('TaskStop', () => {
  it('returns when all processes have ended, and says if the job had already ended', async () => {
    const context = toolHarness()
    const job = context.jobs.start('bash', 'x', held().work)
    expect((await call(context, 'TaskStop', { task_id: job.id })).text).toBe('{"task_id":"b000001","status":"stopped"}')
    const again = await call(context, 'TaskStop', { task_id: job.id })
    expect(again.text).toBe('{"task_id":"b000001","status":"stopped"}\nIt had already ended.')
    expect(context.ended).toEqual([job])
  }) // A54
})
