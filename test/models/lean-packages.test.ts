import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { changed, changes } from '../../scripts/lean-packages.ts'
import * as lean from '../../src/models/lean-streams.ts'
import { openKind } from '../../src/models/provider-kinds.ts'
import { ProviderKind } from '../../src/models/settings.ts'

const modules = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'node_modules')

it.each(ProviderKind.options)('the package for %s is tested and built with lean streams', async (kind) => {
  const { languageModel } = await opened(kind)
  const { stream } = await languageModel.doStream({ prompt: [said('x')] } as never)
  expect(stream).toBeInstanceOf(lean.ReadableStream)
})

it.each(changes)('what is changed in the packages stands there once: $from', ({ from }) => {
  const folders = readdirSync(join(modules, '@ai-sdk')).map((name) => join(modules, '@ai-sdk', name))
  const sources = folders
    .map((folder) => join(folder, 'dist', 'index.mjs'))
    .filter((path) => changed.some((name) => name.test(path)))
  const times = sources.map((path) => readFileSync(path, 'utf8').split(from).length - 1)
  expect(times.filter((count) => count > 0)).toEqual([1])
})

it.each(ProviderKind.options)(
  '%s is told a conversation as it is, however it has changed since the last time',
  async (kind) => {
    const { languageModel, bodies } = await opened(kind)
    const system = { role: 'system', content: 'Be brief.' }
    const tools = [{ type: 'function', name: 'look', inputSchema: { type: 'object', properties: {} } }]
    const [one, two, other] = [said('one'), said('two'), said('other')]
    const answer = { role: 'assistant', content: [{ type: 'text', text: 'seen' }] }
    const prompts = [[system, one], [system, one, answer, two], [system, other], [system, one, answer, other], [one]]
    for (const prompt of prompts) {
      await languageModel.doStream({ prompt, tools, toolChoice: { type: 'auto' } } as never)
      const anew = structuredClone({ prompt, tools, toolChoice: { type: 'auto' } })
      await languageModel.doStream(anew as never)
      const [kept, fresh] = bodies.splice(0)
      expect(kept).toBe(fresh)
      expect(JSON.parse(kept!)).toBeTypeOf('object')
    }
  },
)

function said(text: string) {
  return { role: 'user', content: [{ type: 'text', text }] }
}

async function opened(kind: (typeof ProviderKind.options)[number]) {
  const bodies: string[] = []
  const fetch = async (_url: unknown, init?: { body?: unknown }) => {
    bodies.push(String(init?.body))
    return new Response('data: [DONE]\n\n', { headers: { 'content-type': 'text/event-stream' } })
  }
  const access = { name: 'x', baseUrl: 'http://127.0.0.1:9/v1', isVendor: false, key: 'k', headers: {}, fetch }
  return { bodies, ...(await openKind[kind](access as never, 'one')) }
}
