import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type DoctorHarness, doctorHarness } from '../../../test/cli/doctor-harness.ts'
import { vendorAgents } from './vendor-agents.ts'

/** Answers `initialize` and nothing else, and leaves the file `started`. */
function install(machine: DoctorHarness, folder: string, program: string, answer: object): string {
  const started = join(machine.root, `${program}-started`)
  mkdirSync(folder, { recursive: true })
  const code = `require('node:fs').writeFileSync(${JSON.stringify(started)}, '')
process.stdin.once('data', () => console.log(JSON.stringify({ jsonrpc: '2.0', id: 0, ...${JSON.stringify(answer)} })))`
  writeFileSync(join(folder, program), `#!${process.execPath}\n${code}\n`, { mode: 0o755 })
  machine.environment.call.env.PATH = `${folder}:${machine.environment.call.env.PATH}`
  return started
}

const WORKS = { result: { protocolVersion: 1, agentCapabilities: {} } }

describe('agents of other vendors, examined by doctor', () => {
  it('are named with how each answers and how one that is missing is installed', async () => {
    await using machine = doctorHarness()
    const { call } = machine.environment
    call.env.PATH = ''
    expect(await machine.examine(vendorAgents)).toMatchObject({
      verdict: 'not available',
      detail: expect.stringContaining('opencode: not installed'),
      remedy: expect.stringContaining('npm install -g'),
    })
    const folder = join(call.env.HOME!, 'bin')
    install(machine, folder, 'opencode', WORKS)
    install(machine, folder, 'gemini', { result: { protocolVersion: 99 } })
    const { verdict, detail } = await machine.examine(vendorAgents)
    expect(verdict).toBe('pass')
    expect(detail).toContain('opencode: works')
    expect(detail).toMatch(/Gemini CLI: does not work \(.*version 99/)
  })

  it('are never started from a folder that agents can write to', async () => {
    await using machine = doctorHarness()
    const { call } = machine.environment
    call.env.PATH = ''
    const started = install(machine, join(machine.root, 'node_modules', '.bin'), 'opencode', WORKS)
    const { detail } = await machine.examine(vendorAgents)
    expect(detail).toContain('opencode: not installed')
    expect(existsSync(started)).toBe(false)
  })
})
