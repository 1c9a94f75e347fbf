import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { look, runtimeOf, startInStat, thisRuntime } from './identity.ts'

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** A process that has said something, hence runs. */
async function running(
  command: string,
  ...args: string[]
): Promise<{ child: ChildProcess; pid: number; said: string }> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  const [said] = await once(child.stdout!, 'data')
  return { child, pid: child.pid!, said: String(said).trim() }
}

const node = () => running(process.execPath, '-e', 'process.stdin.resume(); console.log("up")')

/** Waits for the kernel, which answers within microseconds; bounded, and without a clock. */
function until(what: () => boolean): void {
  for (let tries = 0; tries < 5_000; tries++) {
    if (what()) return
    execFileSync('/bin/true')
  }
  throw new Error('it never came true')
}

const state = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '')[0]

/** The id with one of its parts replaced. */
function but(runtime: string, part: 'machine' | 'boot' | 'namespace' | 'pid' | 'start', value: string): string {
  const parts = runtime.split('-')
  parts[{ machine: 1, boot: 2, namespace: 3, pid: 4, start: 5 }[part]] = value
  return parts.join('-')
}

describe('the identity of a runtime', () => {
  it('is one string for the lifetime of a process, safe as a file name', () => {
    expect(thisRuntime()).toBe(thisRuntime())
    expect(thisRuntime()).toMatch(/^r-[0-9a-f]{12}-[0-9a-f]{12}-\d+-\d+-\d+$/)
    expect(thisRuntime()).toBe(runtimeOf(process.pid))
    expect(look(thisRuntime())).toBe('alive')
  })

  it('is alive until its process is killed, then dead', async () => {
    const { child, pid } = await node()
    const runtime = runtimeOf(pid)
    expect(look(runtime)).toBe('alive')
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    expect(look(runtime)).toBe('dead')
  }) // F33

  it('stays alive while its process is stopped: silence proves nothing', async ({ skip }) => {
    skip(process.platform !== 'linux', 'reads the state of a process in /proc')
    const { child, pid } = await node()
    const runtime = runtimeOf(pid)
    child.kill('SIGSTOP')
    until(() => state(pid) === 'T')
    expect(look(runtime)).toBe('alive')
    child.kill('SIGCONT')
    expect(look(runtime)).toBe('alive')
  })

  it('is dead as a zombie', async ({ skip }) => {
    skip(process.platform !== 'linux', 'reads the state of a process in /proc')
    // The shell starts a process, then becomes one that never waits for it, and says so when it is that one.
    const script = 'sleep 60 & exec "$0" -e "console.log(process.argv[1]); process.stdin.resume()" $!'
    const { said } = await running('/bin/sh', '-c', script, process.execPath)
    const pid = Number(said)
    const runtime = runtimeOf(pid)
    expect(look(runtime)).toBe('alive')
    process.kill(pid, 'SIGKILL')
    until(() => state(pid) === 'Z')
    expect(look(runtime)).toBe('dead')
  }) // F33

  it('is dead when a later process has its pid', () => {
    expect(look(but(thisRuntime(), 'start', '1'))).toBe('dead')
  }) // F33

  it('is dead after another boot of this machine, whatever runs under its pid', () => {
    expect(look(but(thisRuntime(), 'boot', '0123456789ab'))).toBe('dead')
  }) // F33

  it('is unknown on another machine or in another pid namespace', () => {
    expect(look(but(thisRuntime(), 'machine', '0123456789ab'))).toBe('unknown')
    expect(look(but(but(thisRuntime(), 'machine', '0123456789ab'), 'boot', '0123456789ab'))).toBe('unknown')
    expect(look(but(thisRuntime(), 'namespace', '1'))).toBe('unknown')
  })

  it('is unknown where the system hides a part of it', () => {
    for (const part of ['boot', 'namespace', 'start'] as const)
      expect(look(but(thisRuntime(), part, 'x'))).toBe('unknown')
  })

  it.each(['', 'r-', 'lead', '../../etc/passwd', 'r-1-2-3-4-5', `${'r-'.repeat(50_000)}`, 'r-zz-zz-0-1-1', '\u0000'])(
    'is unknown when it is no identity at all: %j',
    (garbage) => expect(look(garbage)).toBe('unknown'),
  )

  it.each(['0', '9999999999', '4194399'])('with the impossible pid %s is never alive and causes no error', (pid) => {
    expect(look(but(thisRuntime(), 'pid', pid))).not.toBe('alive')
  })

  it('made in another pid namespace is unknown, even where its pid exists here', async ({ skip }) => {
    skip(!canUnshare(), 'this user may not make a pid namespace with unshare')
    const script = 'readlink /proc/self/ns/pid; exec sleep 60'
    const { said } = await running(
      'unshare',
      '--pid',
      '--fork',
      '--kill-child',
      '--mount-proc',
      '/bin/sh',
      '-c',
      script,
    )
    const namespace = /\[(\d+)\]/.exec(said)?.[1] ?? ''
    expect(look(but(runtimeOf(process.ppid), 'namespace', namespace))).toBe('unknown')
  })
})

describe('the start time in /proc/PID/stat', () => {
  const stat = (name: string, state: string) =>
    `42 (${name}) ${state} 1 42 42 0 -1 4194560 1 0 0 0 1 2 3 4 20 0 1 0 987654 1000 2000 18446744073709551615`

  it.each(['node', 'a b', ') R 1 2 3', '((', 'Z) Z (', ''])('is found behind the name %j', (name) => {
    expect(startInStat(stat(name, 'S'))).toBe('987654')
  })

  it.each(['Z', 'X', 'x'])('is absent in state %s, in which no process runs', (state) => {
    expect(startInStat(stat('node', state))).toBeUndefined()
  })

  it.each(['', 'garbage', '42 (node) S 1'])('is unknown in %j', (text) => expect(startInStat(text)).toBe('x'))
})

function canUnshare(): boolean {
  try {
    execFileSync('unshare', ['--pid', '--fork', '--mount-proc', '/bin/true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
