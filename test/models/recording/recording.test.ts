import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Model, ModelFailure, ModelRequest, Turn } from '../../../src/models/model.ts'
import { openRecording, recordModel } from '../../../src/models/recording/record.ts'
import { replayModel } from '../../../src/models/recording/replay.ts'
import { resolveModel } from '../../../src/models/resolve-model.ts'
import type { Script } from '../../../src/models/scripted/script.ts'
import { scriptedModel } from '../../../src/models/scripted/scripted-model.ts'
import { ask, instantServices, type Outcome, request } from '../harness.ts'

let dir: string
let file: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'deskmates-recording-'))
  file = join(dir, 'run.jsonl')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const script: Script = {
  parts: [
    { agent: 'lead', text: 'Looking.', calls: [{ tool: 'read_file', input: { path: 'a.txt' } }] },
    { agent: 'lead', text: 'Done.' },
    { agent: 'ada', text: 'Hello from ada.' },
    { agent: 'bob', error: { fault: 'key', message: 'no key' } },
  ],
}

interface Wording {
  readonly root?: string
  readonly result?: string
  readonly callId?: string
  readonly system?: string
}

/** A run of two agents: what each was asked, by the words a test wants to differ. */
async function run(
  model: Model,
  { root = '/home/a', result = 'old', callId, system = '' }: Wording = {},
): Promise<Outcome[]> {
  const asked = (more: Partial<ModelRequest>): ModelRequest => ({ ...request, system: `${system} In ${root}`, ...more })
  const first = await ask(model, asked({}))
  const call = first.reply?.turn.content.find((part) => part.type === 'tool-call')
  const ada = await ask(model, asked({ agent: 'ada' }))
  const tool = { type: 'tool-result', toolCallId: callId ?? call?.toolCallId ?? '', toolName: 'read_file' } as const
  const answer: Turn = { role: 'tool', content: [{ ...tool, output: { type: 'text', value: result } }] }
  const turns = first.reply ? [...request.turns, first.reply.turn, answer] : request.turns
  return [first, ada, await ask(model, asked({ turns })), await ask(model, asked({ agent: 'bob' }))]
}

const summary = (outcomes: Outcome[]) =>
  outcomes.map(({ events, reply, error }) => ({ events, reply, error: (error as ModelFailure | undefined)?.message }))

describe('a recording', () => {
  it('replays exactly the recorded answers, whatever the order of the agents', async () => {
    const recorded = await run(recordModel(scriptedModel(script), file))
    const replayed = await run(await replayModel(file))
    expect(summary(replayed)).toEqual(summary(recorded))
    const model = await replayModel(file)
    const ada = await ask(model, { ...request, agent: 'ada', system: ' In /home/a' })
    expect(ada.reply).toEqual(recorded[1]?.reply)
  })

  it('contains the requests to every model of a run, each with its agent', async () => {
    const record = openRecording(file, scriptedModel(script, { name: 'main' }))
    const main = record(scriptedModel(script, { name: 'main' }))
    const own = record(scriptedModel({ parts: [{ text: 'from my own model' }] }, { name: 'own' }))
    await ask(main, request)
    await ask(own, { ...request, agent: 'lead/code-1' })
    const again = await ask(await replayModel(file), { ...request, agent: 'lead/code-1' })
    expect(again.reply).toMatchObject({ model: 'own', turn: { content: [{ text: 'from my own model' }] } })
  })

  it('is replayed by -m replay:FILE under the name of the model it was made with', async () => {
    const recorded = await run(recordModel(scriptedModel(script, { name: 'scripted:x' }), file, { root: '/home/a' }))
    const model = await resolveModel(`replay:${file}`, {}, {}, { ...instantServices(), root: '/home/a' })
    expect(model).toMatchObject({ name: 'scripted:x', provider: 'scripted', price: { input: 0 } })
    expect(summary(await run(model))).toEqual(summary(recorded))
  })

  it('ignores different ids, times and folders', async () => {
    const at = (n: number) =>
      `Team 01J${String(n).repeat(23)} on 2026-01-0${n}T10:00:00Z, took ${n}.5 s, epoch 17${n}0000000.25`
    await run(recordModel(scriptedModel(script), file, { root: '/home/a' }), { system: at(1), callId: 'x' })
    const outcomes = await run(await replayModel(file, { root: '/srv/b' }), {
      system: at(2),
      root: '/srv/b',
      callId: 'y',
    })
    expect(outcomes.map(({ error }) => (error as ModelFailure | undefined)?.fault)).toEqual([
      undefined,
      undefined,
      undefined,
      'key',
    ])
  })

  it('contains that a request was interrupted, and replays that even if the abort came before the request', async () => {
    const record = recordModel(scriptedModel({ parts: [{ text: 'Now.', times: 'always' }] }), file)
    await ask(record, request, { signal: AbortSignal.abort() })
    await ask(record, request)
    expect(readFileSync(file, 'utf8')).toContain('"interrupted":true')
    const model = await replayModel(file)
    expect((await ask(model, request, { signal: AbortSignal.abort() })).error).toMatchObject({ name: 'AbortError' })
    expect((await ask(model, request)).reply?.turn.content).toMatchObject([{ text: 'Now.' }])
    const { error } = await ask(await replayModel(file), request)
    expect((error as ModelFailure).message).toMatch(
      /Request 1 of lead was interrupted in .* and is not interrupted now/,
    )
  }) // T24

  it('of version 1 is replayed without an order of steps', async () => {
    await run(recordModel(scriptedModel(script), file))
    writeFileSync(file, readFileSync(file, 'utf8').replace('{"v":2,', '{"v":1,'))
    const model = await replayModel(file)
    expect(model.order).toBeUndefined()
    expect((await run(model))[0]?.error).toBeUndefined()
  }) // T24

  it('reports the first request that differs, where it differs, and both values', async () => {
    await run(recordModel(scriptedModel(script), file), { result: 'the old contents' })
    const [first, , second] = await run(await replayModel(file), { result: 'the new contents' })
    expect(first?.error).toBeUndefined()
    expect(second?.error).toMatchObject({ fault: 'script' })
    const { message } = second!.error as ModelFailure
    expect(message).toContain('Request 2 of lead')
    expect(message).toContain('turns[2].content[0].output.value, character 5')
    expect(message).toContain('recorded: "the old contents"')
    expect(message).toContain('asked:    "the new contents"')
  })

  it('reports a run that continues longer than the recorded one', async () => {
    await run(recordModel(scriptedModel(script), file))
    const model = await replayModel(file)
    await run(model)
    const { error } = await ask(model, { ...request, agent: 'ada' })
    expect((error as ModelFailure).message).toMatch(/ada asks for answer 2, but .* contains only 1/)
  })

  it('contains every turn once, in a file that only its owner can read', async () => {
    await run(recordModel(scriptedModel(script), file))
    const text = readFileSync(file, 'utf8')
    expect(text.split('Read a.txt')).toHaveLength(4)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('is never overwritten', () => {
    recordModel(scriptedModel(script), file)
    expect(() => recordModel(scriptedModel(script), file)).toThrow(/the file exists/)
  })

  it('that cannot be read or created is reported with the reason and what to do', async () => {
    const nowhere = join(file, 'nowhere', 'run.jsonl')
    await expect(replayModel(nowhere)).rejects.toThrow(
      `Cannot read the recording ${nowhere}: ENOENT: no such file or directory, open '${nowhere}'. Name a file written by --record.`,
    )
    expect(() => recordModel(scriptedModel(script), nowhere)).toThrow(
      `Cannot record to ${nowhere}: ENOENT: no such file or directory, open '${nowhere}'. Name a new file in an existing folder`,
    )
  })

  it('with a torn last line is replayed up to it, and a damaged line is reported', async () => {
    await run(recordModel(scriptedModel(script), file))
    appendFileSync(file, '{"agent":"le')
    await run(await replayModel(file))
    appendFileSync(file, '\n')
    await expect(replayModel(file)).rejects.toThrow(/line 6/)
  })
})
