import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { resolveModel } from '../../src/models/resolve-model.ts'
import { openTestSession, runToEnd } from '../../src/testing/harnesses/session-harness.ts'
import { defineTool } from '../../src/tools/define-tool.ts'
import type { Tool } from '../../src/tools/tool.ts'
import { startAnthropicServer } from './anthropic-server.mjs'
import { type AnthropicBody, type CachedRequest, cachedShare } from './cached-share.mjs'

const MATES = ['ada', 'bob', 'cyd', 'dan']
const READS = 50
const MODEL = 'anthropic/claude-sonnet-4-5'
/** Tokens; the results of a teammate are about twice as many. */
const CONTEXT = 40_000

const read = defineTool({
  name: 'read',
  description: 'Reads a file.',
  input: z.object({ file: z.string() }),
  isReadOnly: true,
  action: () => undefined,
  run: ({ file }) => `${file}: ${'word '.repeat(1200)}`,
}) as Tool

function demotedIn(body: AnthropicBody): number {
  return JSON.stringify(body).split('moved to a file').length - 1
}

describe('what a team of four sends to Anthropic in 200 turns', () => {
  let team: ReturnType<typeof cachedShare>
  /** Those that do not begin with the whole previous request. */
  let changed: readonly CachedRequest[]

  beforeAll(async () => {
    await using server = await startAnthropicServer()
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url }
    const model = await resolveModel(MODEL, env, { models: { [MODEL]: { context: CONTEXT } } })
    const session = await openTestSession({ model, tools: [read] })
    const mates = MATES.map((name, at) => ({
      name,
      prompt: `read ${READS} times, write to ${MATES[(at + 1) % MATES.length]}`,
    }))
    const { stop } = await runToEnd(session, `spawn ${JSON.stringify(mates)}`)
    await session.close()
    expect(stop.kind).toBe('finished')
    team = cachedShare(server.bodies)
    changed = team.requests.filter(({ cachedBytes, previousBytes }) => cachedBytes < previousBytes)
  })

  it('begins with the whole previous request, up to a breakpoint, unless old results were demoted', () => {
    expect(team.requests.length).toBeGreaterThan(200)
    for (const { body, cachedBytes } of changed) {
      expect(demotedIn(body)).toBeGreaterThan(0)
      // System prompt and tools never change.
      expect(cachedBytes).toBeGreaterThan(0)
    }
    expect(team.cachedBytes / team.bytes).toBeGreaterThan(0.85)
  })

  it('demotes rarely and in one batch, and the next requests are stable again', () => {
    expect(changed.length).toBeGreaterThanOrEqual(MATES.length)
    for (const conversation of new Set(team.requests.map((request) => request.conversation))) {
      const requests = team.requests.filter((request) => request.conversation === conversation)
      const places = requests.flatMap((request, at) => (changed.includes(request) ? [at] : []))
      for (const [i, at] of places.entries()) {
        expect(at - (places[i - 1] ?? 0)).toBeGreaterThan(5)
        expect(demotedIn(requests[at]!.body) - demotedIn(requests[at - 1]!.body)).toBeGreaterThan(5)
      }
    }
  })

  it('reads everything before new mail from the cache', () => {
    const withMail = team.requests.filter(
      (request) => !changed.includes(request) && JSON.stringify(request.body.messages.at(-1)).includes('<message'),
    )
    expect(withMail.length).toBeGreaterThan(20)
    for (const { cachedBytes, previousBytes } of withMail) expect(cachedBytes).toBe(previousBytes)
  })

  it('has the same system prompt in every request of an agent', () => {
    expect(new Set(team.requests.map(({ conversation }) => conversation)).size).toBe(MATES.length + 1)
  })

  it('has at most four breakpoints, and the same tools in the same order for every teammate', () => {
    for (const { breakpoints } of team.requests) expect(breakpoints).toBeLessThanOrEqual(4)
    const isMate = ({ body }: CachedRequest) => !JSON.stringify(body.messages[0]).includes('spawn [')
    const tools = new Set(team.requests.filter(isMate).map(({ body }) => JSON.stringify(body.tools)))
    expect(tools.size).toBe(1)
    // The last of them is a breakpoint: teammates differ in their system prompts, which come next.
    const { body } = team.requests.find(isMate)!
    expect(body.tools.at(-1)).toHaveProperty('cache_control')
    expect(body.tools.slice(0, -1)).not.toContainEqual(expect.objectContaining({ cache_control: expect.anything() }))
    expect(body.system).toEqual([expect.objectContaining({ cache_control: { type: 'ephemeral' } })])
  })
})
