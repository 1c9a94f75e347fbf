import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { isGroupAlive } from '../../permissions/processes/process-group.ts'
import { controlHarness, until } from '../../testing/harnesses/control-contract.ts'
import type { OpenControl } from './open-control.ts'

const open: OpenControl[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]()
})

async function harness(options: Parameters<typeof controlHarness>[1] = {}) {
  const opened = await controlHarness(() => ({ text: 'So it is.' }), options)
  open.push(opened.own)
  const never = new AbortController().signal
  return {
    ...opened,
    run: (command: string, signal = never) => opened.own.runStatusProgram({ command }, { session_id: 's1' }, signal),
  }
}

describe('the program of a status line', () => {
  it('gets JSON on stdin, and its stdout is the status', async () => {
    const { run, root } = await harness()
    expect(await run('cat; pwd')).toEqual({ output: `{"session_id":"s1"}${root}\n` })
  })

  it('sees neither keys nor other secrets of the user', async () => {
    const env = { PATH: process.env.PATH, ANTHROPIC_API_KEY: 'sk-ant-0000', GITHUB_TOKEN: 'ghp_0000', LANG: 'C' }
    const { run } = await harness({ env })
    const { output } = (await run('env')) as { output: string }
    expect(output).toContain('LANG=C')
    expect(output).not.toMatch(/0000/)
  })

  it('says why it failed', async () => {
    const { run } = await harness()
    expect(await run('echo "no git here" >&2; echo more >&2; exit 3')).toEqual({ failed: 'exit code 3: no git here' })
    expect(await run('kill -9 $$')).toEqual({ failed: 'SIGKILL' })
  })

  it('ends with all its processes when the terminal is left', async () => {
    const { run, root } = await harness()
    const leaving = new AbortController()
    const ran = run('echo $$ > pid.txt; sleep 600 & sleep 600', leaving.signal)
    const file = join(root, 'pid.txt')
    await until(() => existsSync(file))
    leaving.abort()
    expect(await ran).toMatchObject({ failed: expect.any(String) })
    const pid = Number(readFileSync(file, 'utf8'))
    expect(isGroupAlive(pid)).toBe(false)
  })

  it('does not run a program that agents put on the PATH', async () => {
    const { root } = await harness()
    writeFileSync(join(root, 'git'), '#!/bin/sh\necho owned\n', { mode: 0o755 })
    const { own } = await controlHarness(() => ({ text: 'So it is.' }), {
      env: { PATH: `${root}:${process.env.PATH}` },
      folders: [root],
    })
    open.push(own)
    const outcome = await own.runStatusProgram({ command: 'git --version' }, {}, new AbortController().signal)
    expect(JSON.stringify(outcome)).not.toContain('owned')
  })

  it('does not run without a sandbox where one is required', async () => {
    const { run } = await harness({
      sandbox: { mode: 'require' },
      permissions: { deny: ['bash'] },
      runsPrograms: false,
    })
    expect(await run('echo ran')).toMatchObject({ failed: expect.stringContaining('must run in a sandbox') })
  })
})
