import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type ControlEntry,
  entryPath,
  readEntry,
  socketPath,
  writeEntry,
} from '../../stores/files/identity/control-entry.ts'
import { thisRuntime } from '../../stores/identity.ts'
import { controlContract, controlHarness, reader, until } from '../../testing/harnesses/control-contract.ts'
import { connectControl } from './connect-control.ts'
import type { OpenControl } from './open-control.ts'
import { serveControl } from './serve-control.ts'
import type { SessionControl } from './session-control.ts'

const open: AsyncDisposable[] = []
let env: Record<string, string>
beforeEach(() => {
  const top = mkdtempSync(join(tmpdir(), 'dm-socket-'))
  env = { XDG_RUNTIME_DIR: join(top, 'run'), DESKMATES_STATE: join(top, 'state') }
})
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

const JOURNAL = '/repo/.teams/web/journal.jsonl'
const entry = () => readEntry(entryPath(env, JOURNAL))!

async function serve(own: OpenControl, changes: Partial<Parameters<typeof serveControl>[1]> = {}) {
  const options = { env, journal: JOURNAL, runtime: 'r-1', version: '1.2.3', mayDecide: true, ...changes }
  const served = await serveControl(own, options)
  open.push(served)
  return served
}

async function connected(changes: Partial<Parameters<typeof serveControl>[1]> = {}) {
  const harness = await controlHarness(({ turns }) =>
    turns.at(-1)?.role === 'user'
      ? { calls: [{ tool: 'bash', input: { command: 'touch file' } }] }
      : { text: 'So it is.' },
  )
  open.push(harness.own)
  await serve(harness.own, changes)
  return { ...harness, control: await connectControl(entry()) }
}

controlContract('over its socket', async (own) => {
  await serve(own)
  return connectControl(entry())
})

/** One raw request; status and body of the answer. */
function ask(
  path: string,
  {
    headers = {},
    method = 'POST',
    body = '["Go."]',
  }: { headers?: OutgoingHttpHeaders; method?: string; body?: string } = {},
): Promise<{ status: number | undefined; body: string }> {
  const { socket, token } = entry()
  return new Promise((resolve, reject) => {
    const sent = request({
      ...{ socketPath: socket, path, method, agent: false },
      headers: { host: 'deskmates', authorization: `Bearer ${token}`, ...headers },
    })
    let answered: IncomingMessage | undefined
    sent.on('error', (error) => (answered ? undefined : reject(error)))
    sent.on('response', (response) => {
      answered = response
      let text = ''
      response.on('data', (piece) => {
        text += piece
      })
      response.on('close', () => resolve({ status: response.statusCode, body: text }))
    })
    sent.end(method === 'GET' ? undefined : body)
  })
}

/** A socket file on which no process listens. */
async function leaveSocket(path: string): Promise<void> {
  mkdirSync(join(path, '..'), { recursive: true })
  const stale = createServer()
  await new Promise<void>((resolve) => stale.listen(`${path}.old`, resolve))
  renameSync(`${path}.old`, path)
  await new Promise((resolve) => stale.close(resolve))
  expect(existsSync(path)).toBe(true)
}

describe('the control socket', () => {
  it('is a socket of this user in a folder of this user, with the token in a file of this user', async () => {
    await connected()
    const { socket, token, ...rest } = entry()
    expect(rest).toEqual({ protocol: 1, version: '1.2.3', session: expect.any(String), runtime: 'r-1' })
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(socket).toBe(socketPath(env, JOURNAL))
    const modes = [socket, join(socket, '..'), entryPath(env, JOURNAL), join(env.DESKMATES_STATE!, 'control')]
    expect(modes.map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o700, 0o600, 0o700])
  })

  it('is in the state folder where there is no runtime folder, or it is relative', async () => {
    for (const runtime of [undefined, 'relative'])
      expect(socketPath({ ...env, XDG_RUNTIME_DIR: runtime }, JOURNAL)).toMatch(/state\/control\/[0-9a-f]{16}\.sock$/)
  })

  it.each<[string, number, Parameters<typeof ask>]>([
    ['without a token', 401, ['/v1/prompt', { headers: { authorization: '' } }]],
    [
      'with a wrong token',
      401,
      ['/v1/prompt', { headers: { authorization: `Bearer ${randomBytes(32).toString('hex')}` } }],
    ],
    ['with a foreign host', 403, ['/v1/prompt', { headers: { host: 'localhost' } }]],
    ['of a web page', 403, ['/v1/prompt', { headers: { origin: 'http://localhost' } }]],
    ['with a path that leads elsewhere', 404, ['/v1/../v1/prompt']],
    ['with an encoded path', 404, ['/v1/%2e%2e/prompt']],
    ['with the name of a member that is no operation', 404, ['/v1/constructor']],
    ['with a wrong method', 405, ['/v1/prompt', { method: 'GET' }]],
    ['with arguments of another type', 400, ['/v1/prompt', { body: '[{"text":"Go."}]' }]],
    ['with too many arguments', 400, ['/v1/prompt', { body: '["Go.","Go.","Go."]' }]],
    ['that is no JSON', 400, ['/v1/prompt', { body: '{' }]],
    ['that is huge', 413, ['/v1/prompt', { body: JSON.stringify(['x'.repeat(5_000_000)]) }]],
  ])('refuses a request %s, and nothing is done', async (_, status, given) => {
    const { requests, control } = await connected()
    expect((await ask(...given)).status).toBe(status)
    expect(requests).toEqual([])
    expect(await control.interrupt('lead')).toBe(false)
  })

  it('shows no line to a reader without the token', async () => {
    await connected()
    const answer = await ask('/v1/lines', { method: 'GET', headers: { authorization: 'Bearer x' } })
    expect(answer).toMatchObject({ status: 401, body: expect.not.stringContaining('init') })
  })

  it('refuses answers and the mode where agents have no sandbox; watching and prompts work', async () => {
    const { control, own, root } = await connected({ mayDecide: false })
    const read = reader(control)
    expect(await control.prompt('Go.')).toBe('started')
    await until(() => read.question() !== undefined)
    const refused = { refused: expect.stringContaining('--control full') }
    expect(await control.answer(read.question()!.id, { allowed: true })).toEqual(refused)
    expect(await control.setMode('acceptEdits')).toEqual(refused)
    expect(read.of('deskmates/mode').map(({ mode }) => mode)).toEqual(['default'])
    expect(existsSync(join(root, 'file'))).toBe(false)
    expect(await own.answer(read.question()!.id, { allowed: true })).toBe('accepted')
    await until(() => existsSync(join(root, 'file')))
  })

  it('serves several clients at once, of which one answers', async () => {
    const { control, root } = await connected()
    const other = await connectControl(entry())
    const [read, read2] = [reader(control), reader(other)]
    await until(() => read.run() !== undefined && read2.run() !== undefined)
    await control.prompt('Go.')
    await until(() => read.question() !== undefined && read2.question() !== undefined)
    const { id } = read.question()!
    expect(read2.question()!.id).toBe(id)
    const answers = await Promise.all([control, other, control, other].map((one) => one.answer(id, { allowed: true })))
    expect(answers.filter((answer) => answer === 'accepted')).toHaveLength(1)
    await until(() => read2.of('deskmates/question_closed').length === 1 && read2.run()?.state === 'settled')
    expect(existsSync(join(root, 'file'))).toBe(true)
    await other[Symbol.asyncDispose]()
    await control[Symbol.asyncDispose]()
  })

  it('does not wait for a client that reads nothing, which gets the state anew when it reads again', async () => {
    const { own, control } = await connected({ maxUnread: 100_000 })
    const { socket, token } = entry()
    const stalled = await new Promise<IncomingMessage>((resolve) => {
      const headers = { host: 'deskmates', authorization: `Bearer ${token}` }
      request({ socketPath: socket, path: '/v1/lines', headers, agent: false }).on('response', resolve).end()
    })
    stalled.on('error', () => {})
    stalled.pause()
    const { team } = own.opened
    await team.run({ type: 'member.join', name: 'kim', role: 'reader' })
    const content = 'word '.repeat(20_000)
    for (let i = 0; i < 30; i++) await team.send({ to: 'kim', content })
    expect(await control.interrupt('lead')).toBe(false)
    const types: string[] = []
    const lines = createInterface({ input: stalled })
    lines.on('line', (line) => types.push(JSON.parse(line).line.type))
    await until(() => types.filter((type) => type === 'system').length === 2, 'a second init line')
    expect(types.filter((type) => type === 'deskmates/record').length).toBeLessThan(30)
    lines.close()
    stalled.destroy()
  })

  it('replaces the socket file of a process that is dead', async () => {
    await leaveSocket(socketPath(env, JOURNAL))
    const { control } = await connected()
    expect(await control.interrupt('lead')).toBe(false)
  })

  it('removes what killed sessions of other teams left, and nothing of those that run', async () => {
    const { own } = await connected({ runtime: thisRuntime() })
    const runtime = thisRuntime().replace(/\d+$/, '1')
    const [left, other] = [entryPath(env, 'left'), entryPath(env, 'other')]
    const file = join(env.DESKMATES_STATE!, 'a-file')
    writeFileSync(file, '')
    for (const [path, socket] of [
      [left, socketPath(env, 'left')],
      [other, file],
    ] as const)
      writeEntry(path, { protocol: 1, version: '1', session: 'web', runtime, socket, token: 'x' })
    await leaveSocket(socketPath(env, 'left'))
    await serve(own, { journal: 'next' })
    const isThere = (paths: string[]) => paths.map((path) => existsSync(path))
    expect(isThere([left, other, socketPath(env, 'left')])).toEqual([false, false, false])
    expect(isThere([file, entryPath(env, JOURNAL), socketPath(env, JOURNAL)])).toEqual([true, true, true])
  })

  it('does not take the socket of a session that runs', async () => {
    const { own, control } = await connected()
    await expect(serve(own)).rejects.toThrow(/EADDRINUSE/)
    expect(await control.interrupt('lead')).toBe(false)
    const journal = '/other/.teams/web/journal.jsonl'
    const second = await serve(own, { journal })
    expect(second.socket).not.toBe(entry().socket)
    expect(await (await connectControl(readEntry(entryPath(env, journal))!)).interrupt('lead')).toBe(false)
  })

  it('is gone with its session, and a client learns how to resume', async () => {
    const { own } = await connected()
    const served = open.pop()!
    const reached: ControlEntry = entry()
    const control: SessionControl = await connectControl(reached)
    await served[Symbol.asyncDispose]()
    await own[Symbol.asyncDispose]()
    open.splice(open.indexOf(own), 1)
    await expect(control.prompt('Go.')).rejects.toThrow(`deskmates -r ${reached.session}`)
    await expect(connectControl(reached)).rejects.toThrow('deskmates -r')
    expect(readdirSync(join(env.DESKMATES_STATE!, 'control'))).toEqual([])
    expect(readdirSync(join(env.XDG_RUNTIME_DIR!, 'deskmates'))).toEqual([])
  })

  it('is not made in a folder that is a link', async () => {
    mkdirSync(env.XDG_RUNTIME_DIR!, { recursive: true })
    symlinkSync(tmpdir(), join(env.XDG_RUNTIME_DIR!, 'deskmates'))
    await expect(connected()).rejects.toThrow(/not a folder of this user/)
  })

  it('closes a folder that others can enter, and replaces a token that others could know', async () => {
    const folder = join(env.DESKMATES_STATE!, 'control')
    mkdirSync(folder, { recursive: true, mode: 0o755 })
    writeFileSync(entryPath(env, JOURNAL), '{"token":"known"}', { mode: 0o644 })
    await connected()
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(entryPath(env, JOURNAL)).mode & 0o777).toBe(0o600)
    expect(readFileSync(entryPath(env, JOURNAL), 'utf8')).not.toContain('known')
    rmSync(folder, { recursive: true })
  })
})
