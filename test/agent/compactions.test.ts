import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../src/agent/session-event.ts'
import type { ModelRequest } from '../../src/models/model.ts'
import type { Script } from '../../src/models/scripted/script.ts'
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts'
import { openSession } from '../../src/session/open-session.ts'
import { collectEvents, runToEnd } from '../../src/testing/harnesses/session-harness.ts'
import { openWorkspace, type Workspace } from '../../src/workspace.ts'
import { readFullTranscript, transcriptFaults } from './check-transcript.ts'

let dir: string
let workspace: Workspace
beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-compact-')))
  workspace = await openWorkspace({ cwd: dir, env: { HOME: dir, DESKMATES_STATE: join(dir, 'state') } })
})
afterEach(async () => {
  await workspace[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true })
})

const isSummary = ({ turns }: ModelRequest) => JSON.stringify(turns.at(-1)).includes('This is not from the user')
const firstWords = ({ turns }: ModelRequest) =>
  turns[0]!.content.map((part) => (part as { text?: string }).text ?? '').join('\n')

describe('a team whose lead is summarised ten times', () => {
  it('has identity, roster, tasks and requests before it each time, and loses no message', async () => {
    const requests: ModelRequest[] = []
    let rounds = 0
    const compose = (request: ModelRequest) => {
      requests.push({ ...request, turns: [...request.turns] })
      if (isSummary(request)) return { text: `summary of round ${rounds}`, usage: { input: 9000, output: 10 } }
      rounds++
      if (rounds > 10) return { text: 'all done', usage: { input: 500, output: 5 } }
      // The usage says that this round filled the context window.
      return { calls: [{ tool: 'glob', input: { pattern: `round-${rounds}-*` } }], usage: { input: 11_000, output: 5 } }
    }
    const model = scriptedModel({ context: 20_000, parts: [{ times: 'always', compose }] })
    await using talk = await openSession({ workspace, model, team: 'web' })
    const { team } = talk
    await team.run({ type: 'member.join', name: 'ada', role: 'backend', kind: 'external' })
    await team.run({ type: 'member.join', name: 'bob', role: 'tester', kind: 'human' })
    for (const subject of ['the api', 'the tests', 'the docs'])
      await team.run({ type: 'task.add', tasks: [{ subject }] })
    await team.run({ type: 'task.claim', id: '1' }, { by: { name: 'ada' } })
    await team.run(
      { type: 'request.open', kind: 'plan_approval', to: 'lead', content: 'may I rename it?' },
      { by: { name: 'ada' } },
    )

    const loop = talk.run('build it')
    const events: SessionEvent[] = []
    let sent = 0
    let step = await loop.next()
    for (; !step.done; step = await loop.next()) {
      events.push(step.value)
      // Mail also arrives during the summary.
      if (step.value.type === 'compacted' || step.value.type === 'tool_started')
        await team.send({ to: 'lead', content: `message ${++sent}` }, { by: { name: 'ada' } })
      if (sent === 9) await team.run({ type: 'task.complete', id: '1' }, { by: { name: 'ada' } })
    }
    expect(step.value).toEqual({ kind: 'finished', text: 'all done' })
    expect(events.filter(({ type }) => type === 'compacted')).toHaveLength(10)

    const after = requests.filter((request, i) => !isSummary(request) && i > 0 && isSummary(requests[i - 1]!))
    expect(after).toHaveLength(10)
    for (const [i, request] of after.entries()) {
      const shown = firstWords(request)
      expect(shown).toContain(`summary of round ${i + 1}`)
      expect(shown).toContain('You are lead, the lead of the team web.')
      expect(shown).toMatch(/- ada: backend, external, (idle|working|starting)/)
      expect(shown).toContain('- bob: tester, human')
      expect(shown).toContain('- 2 (pending): the tests')
      expect(shown).toContain('- 3 (pending): the docs')
      if (i < 3) expect(shown).toContain('works on task 1')
      if (i < 3) expect(shown).toContain('r1 (plan_approval): ada waits for your answer: may I rename it?')
      if (i > 5) expect(shown).toContain('Completed: 1.')
      // The text stays the same from run to run: no times, no long ids.
      expect(shown).not.toMatch(/\b[0-9A-HJKMNP-TV-Z]{26}\b|\d\d:\d\d|\b1[5-9]\d{8}\b/)
      expect(transcriptFaults(request.turns)).toEqual([])
      expect(request.system).toBe(requests[0]!.system)
    }
    const log = await workspace.store.log('web/transcripts/lead')
    const archive = await readFullTranscript(log)
    await log.close()
    const words = JSON.stringify(archive.turns)
    for (let i = 1; i <= sent; i++) expect(words.split(`message ${i}\\n`).length - 1, `message ${i}`).toBe(1)
    expect(words.split('build it').length - 1).toBe(1)
  }) // A31, A36, F53, G10

  it('gives teammates their identity in every request, and first after each summary', async () => {
    const requests: ModelRequest[] = []
    let rounds = 0
    const compose = (request: ModelRequest) => {
      requests.push({ ...request, turns: [...request.turns] })
      if (isSummary(request)) return { text: 'I looked', usage: { input: 9000, output: 10 } }
      rounds++
      if (rounds > 4) return { text: 'all seen', usage: { input: 500, output: 5 } }
      return { calls: [{ tool: 'glob', input: { pattern: `${rounds}-*` } }], usage: { input: 11_000, output: 5 } }
    }
    const parts: Script['parts'] = [
      {
        agent: 'lead',
        when: { answer: 1 },
        calls: [{ tool: 'Task', input: { name: 'ada', role: 'scout', prompt: 'Look.' } }],
      },
      { agent: 'lead', times: 'always', text: 'Well.' },
      { agent: 'ada', times: 'always', compose },
    ]
    await using talk = await openSession({ workspace, model: scriptedModel({ context: 20_000, parts }), team: 'web' })
    await runToEnd(talk, 'go')
    await talk.team.send({ to: 'ada', content: 'Still there?' })
    await runToEnd(talk)
    expect(requests.length).toBeGreaterThan(8)
    for (const { system } of requests)
      expect(system).toMatch(/^You are ada, a teammate in the team web\. Your role: scout\./)
    const after = requests.filter((request, i) => !isSummary(request) && i > 0 && isSummary(requests[i - 1]!))
    expect(after.length).toBeGreaterThan(2)
    for (const request of after)
      expect(firstWords(request)).toContain(
        'You are ada, a teammate in the team web. Your role: scout. You report to lead.',
      )
  }) // A84, B32, B46

  it('continues from its summary when it is opened again, and never sends what came before it', async () => {
    const asked: ModelRequest[] = []
    const compose = (request: ModelRequest) => {
      asked.push({ ...request, turns: [...request.turns] })
      return { text: 'yes' }
    }
    const parts: Script['parts'] = [
      { when: { user: 'This is not from the user' }, text: 'we built a garden' },
      { when: { user: 'remember' }, times: 'always', compose },
    ]
    const model = scriptedModel({ parts })
    const first = await openSession({ workspace, model, team: 'web' })
    await runToEnd(first, 'remember the garden')
    const { stop, events } = await collectEvents(first.compact('the garden'))
    expect(stop).toMatchObject({ kind: 'finished', text: expect.stringMatching(/^Compressed: about \d+ tokens/) })
    expect(events).toMatchObject([{ type: 'compacted', trigger: 'manual', agent: 'lead' }])
    await first.close()
    await using second = await openSession({ workspace, model, team: 'web' })
    // There is no new input, so no model is asked.
    expect((await runToEnd(second)).stop).toEqual({ kind: 'finished', text: '' })
    await runToEnd(second, 'do you remember?')
    const { turns } = asked.at(-1)!
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(firstWords(asked.at(-1)!)).toContain('we built a garden')
    expect(firstWords(asked.at(-1)!)).not.toContain('remember the garden')
  })

  it('summarises the conversations of subagents too, which keep their prompt', async () => {
    const found: string[] = []
    let looks = 0
    const parts: Script['parts'] = [
      { agent: 'lead', calls: [{ tool: 'Task', input: { prompt: 'find the port', agent_type: 'explore' } }] },
      { agent: 'lead', when: { result: 'port 80' }, text: 'It is 80.' },
      {
        agent: 'lead/explore-1',
        times: 'always',
        compose(request) {
          if (isSummary(request)) return { text: 'I looked', usage: { input: 100 } }
          if (JSON.stringify(request.turns).includes('compressed')) {
            found.push(firstWords(request))
            return { text: 'port 80' }
          }
          looks++
          return { calls: [{ tool: 'glob', input: { pattern: '*' } }], usage: { input: 4000 * looks, output: 1 } }
        },
      },
    ]
    await using talk = await openSession({ workspace, model: scriptedModel({ context: 20_000, parts }) })
    const { stop, events } = await runToEnd(talk, 'where is it?')
    expect(stop).toEqual({ kind: 'finished', text: 'It is 80.' })
    expect(found[0]).toContain('You are lead/explore-1, an agent of type explore, started by lead.')
    expect(found[0]).toContain('find the port')
    expect(events.filter(({ type }) => type === 'compacted')).toMatchObject([{ agent: 'lead/explore-1' }])
  }) // A20

  it('can read a demoted result again under the path it was given', async () => {
    const big = Array.from({ length: 3000 }, (_, i) => `line ${i}`).join('\n')
    let shown = ''
    const parts: Script['parts'] = [
      {
        when: { answer: 1 },
        calls: Array.from({ length: 6 }, (_, i) => ({ tool: 'big', input: { n: i } })),
        usage: { input: 20 },
      },
      {
        when: { answer: 2 },
        compose(request) {
          shown = JSON.stringify(request.turns)
          const [, path = ''] = /read_file: ([^\]]+)\]/.exec(shown) ?? []
          return { calls: [{ tool: 'read_file', input: { path } }] }
        },
      },
      { when: { result: { tool: 'read_file', text: 'line 0 of 0' } }, text: 'read again' },
    ]
    const { defineTool } = await import('../../src/tools/define-tool.ts')
    const { z } = await import('zod')
    const tool = defineTool({
      name: 'big',
      description: 'Says much.',
      input: z.object({ n: z.number() }),
      run: ({ n }) => big.replaceAll('\n', ` of ${n}\n`),
    })
    const model = scriptedModel({ context: 120_000, parts })
    await using talk = await openSession({
      workspace,
      model,
      tools: [tool],
      team: 'web',
      permissions: { mode: 'bypassPermissions' },
    })
    const { stop } = await runToEnd(talk, 'look')
    expect(stop).toEqual({ kind: 'finished', text: 'read again' })
    const files = readdirSync(join(dir, '.teams/web/outputs/lead'))
    expect(files).toEqual(['1-big.txt', '2-big.txt', '3-big.txt'])
    expect(readFileSync(join(dir, '.teams/web/outputs/lead/1-big.txt'), 'utf8')).toContain('line 2998 of 0')
  }) // A29, A34
})
