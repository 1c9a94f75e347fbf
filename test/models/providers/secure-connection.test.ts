import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toModelFailure } from '../../../src/models/providers/provider-failure.ts'
import { resolveModel } from '../../../src/models/resolve-model.ts'
import { ask, instantServices } from '../harness.ts'
import { wireServer } from './wire-server.ts'

const hasOpenssl = spawnSync('openssl', ['version']).status === 0
const NO_OPENSSL = 'openssl is missing, which makes the certificate'

let folder: string
let server: Server
let connections: number
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deskmates-tls-'))
  connections = 0
})
afterEach(() => {
  server?.close()
  rmSync(folder, { recursive: true })
})

const certificate = () => join(folder, 'cert.pem')

/** Listens with a certificate that its own key signed. */
async function listenSelfSigned(handle: (socket: NodeJS.ReadWriteStream) => void): Promise<string> {
  const key = join(folder, 'key.pem')
  const about = ['-days', '2', '-nodes', '-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
  const files = ['-keyout', key, '-out', certificate()]
  execFileSync('openssl', ['req', '-new', '-x509', '-newkey', 'rsa:2048', ...about, ...files], { stdio: 'pipe' })
  server = createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate()) }, handle)
  server.on('tlsClientError', () => {})
  return listen()
}

async function listen(): Promise<string> {
  server.on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const env = (url: string) => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: 'key-12345' })
const askAt = async (url: string) => {
  const world = instantServices()
  return { ...(await ask(await resolveModel('openai/x', env(url), {}, world))), pauses: world.pauses }
}

describe('a provider without a secure connection', () => {
  it('is called once when its certificate is not trusted, and the failure names the variable to set', async ({
    skip,
  }) => {
    skip(!hasOpenssl, NO_OPENSSL)
    const { error, pauses } = await askAt(await listenSelfSigned(() => {}))
    expect(error).toMatchObject({ fault: 'tls', message: expect.stringContaining('set NODE_EXTRA_CA_CERTS') })
    expect(pauses).toEqual([])
    expect(connections).toBe(1)
  }) // T40

  it('is called once when it does not speak TLS, and the failure advises to check the base URL', async () => {
    server = createServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n').destroySoon()),
    )
    const { error, pauses } = await askAt(await listen())
    expect(error).toMatchObject({ fault: 'tls', message: expect.stringContaining('check the base URL (https or http') })
    expect(pauses).toEqual([])
  }) // T40

  it('is called once when it has no certificate at all', async () => {
    server = createTlsServer({}, () => {})
    server.on('tlsClientError', () => {})
    const { error, pauses } = await askAt(await listen())
    expect(error).toMatchObject({ fault: 'tls', message: expect.stringContaining('no secure connection') })
    expect(pauses).toEqual([])
  }) // T40

  it.each([
    ['CERT_HAS_EXPIRED', 'tls', 'check the clock of this machine'],
    ['CERT_NOT_YET_VALID', 'tls', 'check the clock of this machine'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', 'belongs to another host'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls', 'NODE_EXTRA_CA_CERTS'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls', 'NODE_EXTRA_CA_CERTS'],
    ['CERT_REVOKED', 'tls', 'is not accepted'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tls', 'client certificate'],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'tls', 'offers no secure connection'],
    ['ERR_TLS_HANDSHAKE_TIMEOUT', 'server', 'retry later'],
    ['ECONNRESET', 'server', 'retry later'],
  ])('is recognised in the errors of any package by the code %s: %s', (code, fault, step) => {
    const cause = Object.assign(new Error('the socket failed'), { code })
    const error = Object.assign(new Error('fetch failed', { cause }), { code: 'ERR_FETCH' })
    const failure = toModelFailure(error, { model: 'x/y', emitted: false, now: 0, proxyVariable: undefined })
    expect(failure).toMatchObject({ fault, message: expect.stringContaining(step) })
  }) // T40

  it('is not assumed when the provider answered', () => {
    const error = Object.assign(new Error('overloaded'), { statusCode: 529, code: 'CERT_HAS_EXPIRED' })
    expect(toModelFailure(error, { model: 'x/y', emitted: false, now: 0 })).toMatchObject({ fault: 'overloaded' })
  }) // T40

  it('is reached by the built command once NODE_EXTRA_CA_CERTS names its certificate', async ({ skip }) => {
    skip(!hasOpenssl, NO_OPENSSL)
    await using provider = await wireServer()
    provider.play({ status: 401, body: '{"error":{"message":"reached"}}' })
    const { port } = new URL(provider.url)
    const url = await listenSelfSigned((socket) => {
      const onward = connect(Number(port), '127.0.0.1')
      socket.pipe(onward).pipe(socket)
      for (const side of [socket, onward]) side.on('error', () => onward.destroy())
    })
    const command = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'bin', 'deskmates')
    const run = async (more: Record<string, string>) => {
      const child = spawn(process.execPath, [command, '-p', 'hi', '-m', 'openai/x'], {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder, DESKMATES_STATE: join(folder, 'state'), ...env(url), ...more },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      let said = ''
      child.stderr.on('data', (bytes) => {
        said += bytes
      })
      await once(child, 'close')
      return said
    }
    expect(await run({})).toContain('set NODE_EXTRA_CA_CERTS')
    expect(await run({ NODE_EXTRA_CA_CERTS: certificate() })).toContain('reached')
  }, 60_000) // T40
})
