import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

const userFile = () => join(cli.env.HOME!, '.config', 'deskmates', 'settings.json')

describe('deskmates init', () => {
  it('writes the settings of the user, readable by the user only, with the model of the key that is set', async () => {
    const env = { ...cli.env, ANTHROPIC_API_KEY: 'sk-ant-secret-value-000000000' }
    const { code, stdout } = await cli.run('init --yes', { env })
    expect([code, stdout.split('\n')[0]]).toEqual([0, `Written: ${userFile()}`])
    const text = readFileSync(userFile(), 'utf8')
    expect(JSON.parse(text)).toMatchObject({
      model: expect.stringMatching(/^anthropic\//),
      permissions: { mode: 'default' },
    })
    expect(text).not.toContain('secret')
    expect(statSync(userFile()).mode & 0o077).toBe(0)
    expect((await cli.run('config list --json', { env })).stdout).toContain(userFile())
  })

  it('offers the models of a local server that answers', async () => {
    const server = createServer((_, response) =>
      response.end(JSON.stringify({ data: [{ id: 'qwen3:8b' }, { id: '\u001b[2J' }] })),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const env = { ...cli.env, OLLAMA_HOST: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    const { stdout } = await cli.run('init --yes --json', { env })
    server.close()
    expect(JSON.parse(stdout)).toEqual({
      path: userFile(),
      settings: { model: 'ollama/qwen3:8b', permissions: { mode: 'default' } },
    })
  })

  it('leaves a file alone that is there, and says what to do', async () => {
    mkdirSync(join(cli.env.HOME!, '.config', 'deskmates'), { recursive: true })
    writeFileSync(userFile(), '{"model": "a/b"} // mine')
    const { code, stderr } = await cli.run('init --yes')
    expect(code).toBe(2)
    expect(stderr).toContain(`${userFile()} is there already. Change it in an editor`)
    expect(readFileSync(userFile(), 'utf8')).toBe('{"model": "a/b"} // mine')
  })

  it('does not write through a link that a repository put in the place of its settings', async () => {
    const outside = join(cli.env.HOME!, 'outside')
    mkdirSync(outside, { recursive: true })
    symlinkSync(outside, join(cli.dir, '.deskmates'))
    expect(await cli.run('init --yes --project')).toMatchObject({ code: 2 })
    expect(existsSync(join(outside, 'settings.json'))).toBe(false)
  })

  it('asks only a terminal', async () => {
    const { code, stderr } = await cli.run('init')
    expect([code, stderr]).toEqual([
      2,
      'deskmates: There is no terminal to ask on. Take the defaults with: deskmates init --yes\n',
    ])
    expect(existsSync(userFile())).toBe(false)
  })
})
