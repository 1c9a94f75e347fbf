import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { endGroup, endRecordedGroup, endWithUs, groupOf, isGroupAlive } from './process-group.ts'

const BWRAP = '/usr/bin/bwrap'

/** A process group whose leader says when it is there. */
async function start(script: string, env: Record<string, string> = { DESKMATES_AGENT: 'ada' }): Promise<ChildProcess> {
  const child = spawn('/bin/bash', ['-c', `${script}`], { detached: true, env, stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout!, 'data')
  return child
}

describe('a process group', () => {
  it('is ended as a whole, also when it ignores signals or is stopped', async () => {
    for (const script of [
      'sleep 60 & echo; wait',
      'trap "" TERM; sleep 60 & echo; wait; sleep 60',
      'echo; kill -STOP $$',
    ]) {
      const { pid } = await start(script)
      expect(isGroupAlive(pid!)).toBe(true)
      expect(await endGroup(pid!, 200)).toBe(true)
      expect(isGroupAlive(pid!)).toBe(false)
    }
  })

  it('shares one listener for the exit of this process with all others', () => {
    const before = process.listenerCount('exit')
    // No process has such a number.
    const ended = Array.from({ length: 50 }, (_, i) => endWithUs(2 ** 30 + i))
    const during = process.listenerCount('exit')
    for (const end of ended) end()
    expect([during - before, process.listenerCount('exit') - before]).toEqual([1, 0])
  })

  it('is found again from its record after its leader has ended', async () => {
    const child = await start('sleep 60 & echo; sleep 0.1')
    const group = groupOf(child.pid!)
    await once(child, 'exit')
    expect(isGroupAlive(group.pid)).toBe(true)
    expect(await endRecordedGroup(group)).toBe(true)
    expect(isGroupAlive(group.pid)).toBe(false)
    expect(await endRecordedGroup(group)).toBe(true)
  })

  it('is left alone when another process has the recorded number', async () => {
    const child = await start('echo; sleep 60')
    const { pid, started } = groupOf(child.pid!)
    const [, ticks] = /-(\d+)$/.exec(started)!
    for (const other of [`other-boot-${ticks}`, started.replace(/\d+$/, String(Number(ticks) - 1))]) {
      await endRecordedGroup({ pid, started: other })
      expect(isGroupAlive(pid)).toBe(true)
    }
    await endRecordedGroup({ pid, started })
    expect(isGroupAlive(pid)).toBe(false)

    const foreign = await start('sleep 60 & echo; sleep 0.1', {})
    const group = groupOf(foreign.pid!)
    await once(foreign, 'exit')
    await endRecordedGroup(group)
    expect(isGroupAlive(group.pid)).toBe(true)
    process.kill(-group.pid, 'SIGKILL')
    await vi.waitUntil(() => !isGroupAlive(group.pid), { timeout: 30_000 })
  })

  it('of a sandbox is ended after its program had time to end by itself', async ({ skip }) => {
    const places = ['--unshare-all', '--die-with-parent', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev']
    const isUsable = spawnSync(BWRAP, [...places, '/bin/true']).status === 0
    skip(!isUsable, 'bubblewrap is not installed, or cannot make a sandbox here')
    const script = 'trap "sleep 0.1; echo ended; exit" TERM; sleep 60 & echo begun; wait'
    for (let i = 0; i < 3; i++) {
      const child = spawn(BWRAP, [...places, '/bin/bash', '-c', script], {
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      let said = ''
      child.stdout!.on('data', (text) => (said += text))
      const closed = once(child, 'close')
      await once(child.stdout!, 'data')
      expect(await endGroup(child.pid!)).toBe(true)
      expect(isGroupAlive(child.pid!)).toBe(false)
      await closed
      expect(said).toBe('begun\nended\n')
    }
  })
})
