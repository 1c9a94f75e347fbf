import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { project } from './page.ts'

/** A registry with one package, this one as `npm pack` makes it. Everything else that npm asks for is refused. */
export interface LocalRegistry extends AsyncDisposable {
  /** The variables of an npm that knows no other registry, no cache and no configuration of this machine. */
  readonly env: Readonly<Record<string, string>>
  /** What npm asked for. */
  readonly asked: readonly string[]
}

export async function openLocalRegistry(folder: string): Promise<LocalRegistry> {
  const packed = join(folder, 'packed')
  for (const name of [packed, join(folder, 'home')]) mkdirSync(name)
  const args = ['pack', '--ignore-scripts', '--pack-destination', packed]
  await promisify(execFile)('npm', args, { cwd: project })
  const [file = ''] = readdirSync(packed)
  const tarball = readFileSync(join(packed, file))
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  const { name, version } = manifest
  const asked: string[] = []
  const server = createServer(({ url = '', headers }, response) => {
    asked.push(url)
    if (url === `/${name}/-/${file}`) return void response.end(tarball)
    if (url !== `/${name}`) return void response.writeHead(404).end('{}')
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
    const dist = { tarball: `http://${headers.host}/${name}/-/${file}`, integrity }
    const versions = { [version]: { ...manifest, devDependencies: undefined, scripts: undefined, dist } }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    asked,
    env: {
      HOME: join(folder, 'home'),
      npm_config_registry: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      npm_config_cache: join(folder, 'cache'),
      npm_config_userconfig: join(folder, 'none'),
      npm_config_globalconfig: join(folder, 'none-global'),
      npm_config_update_notifier: 'false',
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
