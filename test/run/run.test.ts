import { chmodSync, existsSync, readdirSync, readFileSync, readlinkSync, rmSync, watch, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Checkout, makeCheckout } from './checkout.ts'

const isRoot = process.getuid?.() === 0
const on = (what: 'platform' | 'versions', value: string) =>
  `Object.defineProperty(process, '${what}', { value: ${value} })`
const onNode = (version: string) => on('versions', `{ ...process.versions, node: '${version}' }`)

describe.concurrent('where it cannot run', () => {
  it.each(['8.17.0', '18.20.4', '20.18.3'])('says so on Node %s, in one line', async (version) => {
    using checkout = makeCheckout()
    const line = `deskmates needs Node >= 20.19, this is ${version}.\n`
    const refused = { code: 2, stdout: '', stderr: line }
    expect(await checkout.run(['start'], { preload: onNode(version) })).toEqual(refused)
    expect(await checkout.deskmates(['demo'], { preload: onNode(version) })).toEqual(refused)
    expect(checkout.npmCalls()).toEqual([])
  })

  it('sends native Windows to WSL2', async () => {
    using checkout = makeCheckout()
    const { code, stderr } = await checkout.run(['start'], { preload: on('platform', "'win32'") })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^deskmates: Windows works through WSL2.*\n$/)
  })

  it('lists its commands when it does not know one', async () => {
    using checkout = makeCheckout()
    expect(await checkout.run(['dance'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('start|build|test'),
    })
  })
})

describe.concurrent('preparing', () => {
  it('installs, builds and runs in a path with spaces, and then only runs', async () => {
    using checkout = makeCheckout()
    const first = await checkout.run(['start', '--dir', 'x y'])
    expect(first).toMatchObject({ code: 0, stdout: 'first demo --dir x y\n' })
    expect(first.stderr).toContain('npm talks on stdout')
    expect(checkout.npmCalls()).toEqual(['ci --include=dev --ignore-scripts --no-audit --no-fund'])

    const second = await checkout.run(['start'])
    expect(second).toEqual({ code: 0, stdout: 'first demo\n', stderr: '' })
    expect(checkout.npmCalls()).toHaveLength(1)
    expect(readdirSync(checkout.path('.build/tmp'))).toEqual([])
  })

  it('builds again when a source changed, and installs again when the lock file or the Node major did', async () => {
    using checkout = makeCheckout()
    await checkout.run(['build'])
    checkout.write('src/index.ts', 'second')
    expect(await checkout.deskmates([])).toMatchObject({ code: 0, stdout: 'second\n' })
    expect(checkout.npmCalls()).toHaveLength(1)

    checkout.write('package-lock.json', '{ "lockfileVersion": 3, "packages": { "": { "version": "2.0.0" } } }')
    await checkout.run(['build'])
    expect(checkout.npmCalls()).toHaveLength(2)

    await checkout.run(['build'], { preload: onNode('99.0.0') })
    expect(checkout.npmCalls()).toHaveLength(3)
  })

  it('lets one of two starters install while the other waits', async () => {
    using checkout = makeCheckout()
    const env = { FAKE_NPM: 'wait' }
    const both = [checkout.start(['start'], { env }), checkout.start(['start'], { env })]
    await Promise.race(both.map(({ says }) => says('waiting for it')))
    writeFileSync(join(dirname(checkout.root), 'go'), '')
    for (const { ended } of both) expect(await ended).toMatchObject({ code: 0, stdout: 'first demo\n' })
    expect(checkout.npmCalls()).toHaveLength(1)
  })

  it('recovers when the preparer is killed while it installs', async () => {
    using checkout = makeCheckout()
    const killed = checkout.start(['start'], { env: { FAKE_NPM: 'hang' } })
    await killed.says('npm hangs')
    await killed.kill()
    expect(existsSync(checkout.path('node_modules'))).toBe(false)

    expect(await checkout.run(['start'])).toMatchObject({ code: 0, stdout: 'first demo\n' })
    expect(checkout.npmCalls()).toHaveLength(2)
    expect(readdirSync(checkout.path('.build/tmp'))).toEqual([])
    expect(existsSync(checkout.path('.build/preparing'))).toBe(false)
  })

  it('keeps the last whole dist when the preparer is killed while it builds', async () => {
    using checkout = makeCheckout()
    await checkout.run(['build'])
    checkout.write('src/index.ts', 'second')
    const killed = checkout.start(['start'], { env: { FAKE_TSDOWN: 'hang' } })
    await appears(dirname(checkout.root), 'tsdown.pid')
    await killed.kill()
    expect(checkout.read('dist/cli.js')).toContain('first')

    expect(await checkout.run(['start'])).toMatchObject({ code: 0, stdout: 'second demo\n' })
  })

  it('builds the test programs anew when one changed, and replaces whatever was in their place', async () => {
    using checkout = makeCheckout()
    checkout.write('bench/run.mjs', "console.log('bench', ...process.argv.slice(2))")
    checkout.write('test/workers/writer.ts', 'one')
    checkout.write('.build/test/stray.js', '')
    expect(await checkout.run(['bench', 'a b'])).toMatchObject({ code: 0, stdout: 'bench a b\n' })
    const first = readlinkSync(checkout.path('.build/test'))
    expect(existsSync(checkout.path('.build/test/cli.js'))).toBe(true)

    checkout.write('test/workers/writer.ts', 'two')
    await checkout.run(['bench'])
    expect(readlinkSync(checkout.path('.build/test'))).not.toBe(first)
    expect(existsSync(checkout.path(`.build/${first}`)), 'programs still running keep their files').toBe(true)
  })

  it('ends npm and leaves nothing behind when it is signalled to stop', async () => {
    using checkout = makeCheckout()
    const stopped = checkout.start(['start'], { env: { FAKE_NPM: 'hang' } })
    await stopped.says('npm hangs')
    stopped.child.kill('SIGTERM')
    expect(await stopped.ended).toMatchObject({ code: 143 })
    expect(readdirSync(checkout.path('.build'))).toEqual(['tmp'])
    expect(readdirSync(checkout.path('.build/tmp'))).toEqual([])
  })

  it('uses what the user installed by hand, if npm recorded exactly what the lock file asks for', async () => {
    using checkout = makeCheckout()
    const packages = { 'node_modules/dep': { version: '1.0.0', integrity: 'sha512-dep' } }
    const elsewhere = { 'node_modules/dep-sunos': { version: '1.0.0', optional: true, os: ['sunos'] } }
    checkout.write('package-lock.json', JSON.stringify({ packages: { '': {}, ...packages, ...elsewhere } }))
    await checkout.run(['build'])
    writeFileSync(checkout.path('node_modules/.deskmates-stamp'), '')
    checkout.write('node_modules/.package-lock.json', JSON.stringify({ packages }))
    expect(await checkout.run(['build'])).toMatchObject({ code: 0 })
    expect(checkout.npmCalls()).toHaveLength(1)

    writeFileSync(checkout.path('node_modules/.deskmates-stamp'), '')
    checkout.write('node_modules/.package-lock.json', JSON.stringify({ packages: {} }))
    await checkout.run(['build'])
    expect(checkout.npmCalls()).toHaveLength(2)
  })
})

describe.concurrent('what can go wrong', () => {
  it('names an install that fails without network, and keeps what was there', async () => {
    using checkout = makeCheckout()
    await checkout.run(['build'])
    const lock = { '': { dependencies: { dep: '1.0.0' } }, 'node_modules/dep': { version: '1.0.0' } }
    checkout.write('package.json', '{ "name": "tiny", "dependencies": { "dep": "1.0.0" }, "type": "module" }')
    checkout.write('package-lock.json', JSON.stringify({ name: 'tiny', lockfileVersion: 3, packages: lock }))
    const { code, stderr } = await checkout.run(['start'], {
      env: {
        PATH: process.env.PATH ?? '',
        npm_config_registry: await closedPort(),
        npm_config_cache: join(dirname(checkout.root), 'empty cache'),
        npm_config_fetch_retries: '0',
      },
    })
    expect(code).toBe(1)
    expect(stderr).toContain(`deskmates: npm ci could not install the packages for ${checkout.root}`)
    expect(stderr).toContain('Check the network')
    expect(existsSync(checkout.path('node_modules/.bin/tsdown'))).toBe(true)
  })

  it('names a missing npm', async () => {
    using checkout = makeCheckout()
    const { code, stderr } = await checkout.run(['start'], { env: { PATH: dirname(checkout.root) } })
    expect(code).toBe(1)
    expect(stderr).toBe(
      'deskmates: npm is not on the PATH, and it is needed to install packages. Install it, or add it to PATH.\n',
    )
  })

  it('names a build that fails, and keeps the last good one', async () => {
    using checkout = makeCheckout()
    await checkout.run(['build'])
    checkout.write('src/index.ts', 'broken')
    const { code, stderr } = await checkout.deskmates([], { env: { FAKE_TSDOWN: 'fail' } })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^tsdown names a mistake\ndeskmates: tsdown could not build/)
    expect(checkout.read('dist/cli.js')).toContain('first')
  })

  it('names a checkout that is not complete', async () => {
    using checkout = makeCheckout()
    await checkout.run(['build'])
    rmSync(checkout.path('package-lock.json'))
    const { code, stderr } = await checkout.deskmates([])
    expect(code).toBe(1)
    expect(stderr).toContain(`${checkout.path('package-lock.json')} is missing`)
  })

  it('names a checkout it may not write, and runs there once it is prepared', async () => {
    using checkout = makeCheckout()
    const stranger = asStranger(checkout)
    const { code, stderr } = await checkout.run(['start'], stranger)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^deskmates: cannot write .*\.build.* \(EACCES\): .* copy it to a folder of your own.*\n$/)

    chmodSync(checkout.root, 0o755)
    await checkout.run(['build'])
    expect(await checkout.run(['start'], asStranger(checkout))).toEqual({ code: 0, stdout: 'first demo\n', stderr: '' })
    expect(await checkout.deskmates(['hi'], stranger)).toEqual({ code: 0, stdout: 'first hi\n', stderr: '' })
    chmodSync(checkout.root, 0o755)
  })
})

describe.concurrent('bin/deskmates', () => {
  it('prepares quietly and ends as the command ends', async () => {
    using checkout = makeCheckout()
    const once = 'deskmates: preparing this checkout, once\n'
    expect(await checkout.deskmates(['fail', 'a b'])).toEqual({ code: 4, stdout: 'first fail a b\n', stderr: once })
    expect(await checkout.deskmates(['hi'])).toEqual({ code: 0, stdout: 'first hi\n', stderr: '' })
  })
})

/** Root may write everywhere, so a root test run switches to an unprivileged user; other users remove their own write permission. */
function asStranger(checkout: Checkout): { uid?: number } {
  if (isRoot) return { uid: 65534 }
  chmodSync(checkout.root, 0o555)
  return {}
}

async function closedPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('a server on a port has a port')
  return `http://127.0.0.1:${address.port}/`
}

async function appears(folder: string, name: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const watcher = watch(folder, look)
    function look() {
      if (!existsSync(join(folder, name)) || readFileSync(join(folder, name), 'utf8') === '') return
      watcher.close()
      resolve()
    }
    look()
  })
}
