import { expect, it } from 'vitest'
import * as lean from '../../src/models/lean-streams.ts'
import { openKind } from '../../src/models/provider-kinds.ts'
import { ProviderKind } from '../../src/models/settings.ts'

it.each(ProviderKind.options)('the package for %s is tested and built with lean streams', async (kind) => {
  const fetch = async () => new Response('data: [DONE]\n\n', { headers: { 'content-type': 'text/event-stream' } })
  const access = { name: 'x', baseUrl: 'http://127.0.0.1:9/v1', isVendor: false, key: 'k', headers: {}, fetch }
  const { languageModel } = await openKind[kind](access, 'one')
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'x' }] }]
  const { stream } = await languageModel.doStream({ prompt } as never)
  expect(stream).toBeInstanceOf(lean.ReadableStream)
})
