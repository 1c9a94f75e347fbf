import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { doctorHarness } from '../../../test/cli/doctor-harness.ts'
import { call, keys, model, network } from './models.ts'

/** Counts connections and what is sent over them. */
let server: Server
let url: string
let sent = ''
let connections = 0
beforeAll(async () => {
  server = createServer((socket) => {
    connections++
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      sent += bytes
      socket.end('HTTP/1.1 402 Payment Required\r\ncontent-length: 0\r\n\r\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as { port: number }
  url = `http://127.0.0.1:${address.port}`
})
afterAll(() => void server.close())

const secret = 'sk-very-secret-value'

describe('keys', () => {
  it('are named by their variables, never shown', async () => {
    const env = { ANTHROPIC_AUTH_TOKEN: secret, GOOGLE_API_KEY: secret, OPENAI_API_KEY: ' ' }
    await using waiting = doctorHarness({ env })
    const found = await waiting.examine(keys)
    expect(found).toEqual({
      verdict: 'pass',
      detail: 'set: ANTHROPIC_AUTH_TOKEN (environment), GOOGLE_API_KEY (environment)',
    })
  }) // T40

  it('are not available where none is set, with the variables to set', async () => {
    await using waiting = doctorHarness()
    for (const one of [keys, model, network, call])
      expect(await waiting.examine(one)).toMatchObject({
        verdict: 'not available',
        remedy: expect.stringContaining('ANTHROPIC_API_KEY'),
      })
  }) // T40
})

describe('the model', () => {
  it('is the default of the first key, or the one of the settings, with its price', async () => {
    await using waiting = doctorHarness({ env: { OPENAI_API_KEY: secret } })
    expect((await waiting.examine(model)).detail).toMatch(/^openai\/gpt-6-sol \(default of the first key\); \$2 in/)
    const folder = join(waiting.environment.call.env.HOME ?? '', '.config', 'deskmates')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'settings.json'), '{"model": "gpt"}')
    expect((await waiting.examine(model)).detail).toMatch(/^openai\/gpt-6-sol \(from the settings\)/)
  }) // T40
})

describe('the network', () => {
  it('passes by a connection alone: nothing is sent, and nothing paid', async () => {
    sent = ''
    connections = 0
    await using waiting = doctorHarness({ env: { OPENAI_API_KEY: secret, OPENAI_BASE_URL: url } })
    expect(await waiting.examine(network)).toEqual({ verdict: 'pass', detail: `${url} can be reached` })
    expect({ connections, sent }).toEqual({ connections: 1, sent: '' })
  }) // T40

  it('fails where nothing listens, and names the address', async () => {
    await using waiting = doctorHarness({ env: { OPENAI_API_KEY: secret, OPENAI_BASE_URL: 'http://127.0.0.1:1' } })
    expect(await waiting.examine(network)).toMatchObject({
      verdict: 'fail',
      detail: expect.stringMatching(/^http:\/\/127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/),
    })
  }) // T40

  it('names the proxy that is used, and is not led elsewhere by an untrusted project', async () => {
    const env = { OPENAI_API_KEY: secret, HTTPS_PROXY: url }
    await using waiting = doctorHarness({ env: { ...env, OPENAI_BASE_URL: 'https://provider.invalid' } })
    mkdirSync(join(waiting.root, '.deskmates'))
    const evil = { providers: { openai: { baseUrl: 'http://127.0.0.1:1' } } }
    writeFileSync(join(waiting.root, '.deskmates', 'settings.json'), JSON.stringify(evil))
    expect(await waiting.examine(network)).toMatchObject({
      verdict: 'pass',
      detail: 'https://provider.invalid through the proxy in HTTPS_PROXY can be reached as far as the proxy',
    })
  }) // T40
})

describe('a call of the model', () => {
  it('is real, and fails with the reason of the provider', async () => {
    sent = ''
    await using waiting = doctorHarness({ env: { OPENAI_API_KEY: secret, OPENAI_BASE_URL: url } })
    await expect(waiting.examine(call)).rejects.toMatchObject({ fault: 'billing' })
    expect(sent).toContain('POST /v1/responses')
  }) // T40
})
