import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askOnce } from '../../../../test/postgres/database.ts'
import { type PostgresServer, startPostgres } from '../../../../test/postgres/server.mjs'
import { idsOf, readAll } from '../../../testing/contracts/read-all.ts'
import { openPostgresStore } from '../store.ts'

const hasOpenssl = spawnSync('openssl', ['version']).status === 0
if (!hasOpenssl) console.log('postgres: TLS was not tried, because there is no openssl to make a certificate with')

describe.runIf(hasOpenssl)('a PostgreSQL server with TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deskmates-tls-'))
  const certificate = join(folder, 'cert.pem')
  let server: PostgresServer
  beforeAll(async () => {
    const key = join(folder, 'key.pem')
    const about = ['-days', '2', '-nodes', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    execFileSync('openssl', ['req', '-new', '-x509', ...about, '-keyout', key, '-out', certificate], { stdio: 'pipe' })
    chmodSync(folder, 0o755)
    chmodSync(key, 0o600)
    // The user that root lends to the server.
    if (process.getuid?.() === 0) chownSync(key, 65534, 65534)
    server = await startPostgres({ settings: { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key } })
  })
  afterAll(async () => {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each([
    ['require', '127.0.0.1', ''],
    ['prefer', '127.0.0.1', ''],
    ['verify-full', 'localhost', 'trusted'],
  ])('accepts a store with sslmode=%s over encrypted connections', async (mode, host, root) => {
    const store = await openPostgresStore({ url: url(host, mode, root) })
    const log = await store.log('web/journal')
    expect((await log.append([{ id: 'made', after: '' }])).outcomes).toEqual(['accepted'])
    expect(idsOf(await readAll(log))).toEqual(['made'])
    const encrypted = `select bool_and(s.ssl) as all from pg_stat_ssl s join pg_stat_activity a using (pid)
      where a.application_name = 'deskmates'`
    expect(await askOnce(server.url, encrypted)).toEqual([{ all: true }])
    await store[Symbol.asyncDispose]()
  })

  it.each([
    ['another name', '127.0.0.1', 'trusted'],
    ['an unknown signer', 'localhost', ''],
  ])('is refused with sslmode=verify-full under %s', async (_what, host, root) => {
    const timeouts = { connect: 500 }
    await expect(openPostgresStore({ url: url(host, 'verify-full', root), timeouts })).rejects.toMatchObject({
      code: 'store_unreachable',
      message: expect.stringMatching(/certificate/),
    })
  })

  function url(host: string, mode: string, root: string): string {
    const query = `sslmode=${mode}&schema=s_${mode.replace('-', '_')}${root && `&sslrootcert=${certificate}`}`
    return `${server.url.replace('127.0.0.1', host)}?${query}`
  }
})
