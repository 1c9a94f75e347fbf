import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { isGroupAlive } from '../../permissions/processes/process-group.ts'
import { type ToolHarness, toolHarness } from '../../testing/harnesses/tool-harness.ts'
import { runCall } from '../run-call.ts'
import type { Tool } from '../tool.ts'
import { createBash } from './bash.ts'

const bash = createBash()
const run = (context: ToolHarness, command: string, more: object = {}, tool: Tool = bash) =>
  runCall([tool], { name: 'bash', input: { command, ...more } }, context)

describe('bash', () => {
  it('runs in the workspace root, with errors and output in the order they came', async () => {
    const context = toolHarness()
    const { text, isError } = await run(context, 'pwd; for i in 1 2 3; do echo out$i; echo err$i >&2; done')
    expect(text).toBe(`${context.root}\nout1\nerr1\nout2\nerr2\nout3\nerr3`)
    expect(isError).toBe(false)
  }) // A10

  it('says when there is no output, which exit code is not 0 and which signal killed it', async () => {
    const context = toolHarness()
    expect(await run(context, 'true')).toMatchObject({ text: '(no output)', isError: false })
    expect(await run(context, 'echo half; exit 3')).toMatchObject({ text: 'half\n[exit code 3]', isError: true })
    expect(await run(context, 'kill -9 $$')).toMatchObject({ text: '(no output)\n[killed by SIGKILL]', isError: true })
    expect((await run(context, '(kill -11 $BASHPID); exit $?')).text).toContain('[exit code 139: SIGSEGV]')
  }) // A10, F39

  it('gives commands an empty stdin, an output that can be reopened, and DESKMATES_AGENT', async () => {
    const context = toolHarness({ env: { PATH: process.env.PATH!, GREETING: 'hello' } })
    const { text } = await run(
      context,
      'cat; echo a > /dev/stderr; echo b | tee /dev/stdout; echo $GREETING $DESKMATES_AGENT',
    )
    expect(text).toBe('a\nb\nb\nhello ada')
    expect((await run(context, 'test -t 0 || test -t 1 || echo no terminal')).text).toBe('no terminal')
  })

  it('has its group on record before the first instruction runs, and runs nothing if that fails', async () => {
    const context = toolHarness()
    const mark = join(context.root, 'ran')
    let before: boolean | undefined
    const recordGroup = async ({ pid }: { pid: number }) => {
      // Time enough for a command that does not wait.
      await new Promise((resolve) => setTimeout(resolve, 100))
      before = existsSync(mark)
      expect(isGroupAlive(pid)).toBe(true)
    }
    await run({ ...context, recordGroup }, `touch ${mark}`)
    expect([before, existsSync(mark)]).toEqual([false, true])

    const failing = toolHarness({ recordGroup: async () => Promise.reject(new Error('the disk is full')) })
    const result = await run(failing, `touch ${join(failing.root, 'ran')}`)
    expect(result).toMatchObject({ text: 'the disk is full', isError: true })
    expect(existsSync(join(failing.root, 'ran'))).toBe(false)
  })

  it('ends the whole process group at the time-out, also processes that ignore signals', async () => {
    const context = toolHarness()
    const { text, isError } = await run(context, 'trap "" TERM; echo begun; sleep 60 & wait; sleep 60', {
      timeout: 300,
    })
    expect(text).toContain('begun\n[ended after 300 ms, its time-out')
    expect(isError).toBe(true)
    expect(isGroupAlive(context.groups[0]!.pid)).toBe(false)
  }) // A10

  it('ends the whole group when it is aborted, and then throws', async () => {
    const context = toolHarness({ progress: () => context.stop.abort(new Error('enough')) })
    await expect(run(context, 'echo begun; sleep 60 & sleep 60')).rejects.toThrow('enough')
    expect(isGroupAlive(context.groups[0]!.pid)).toBe(false)
    await expect(run(context, 'true')).rejects.toThrow('enough')
  })

  it('starts nothing when the abort comes before the group is on record', async () => {
    const context = toolHarness()
    const recordGroup = async () => context.stop.abort(new Error('enough'))
    await expect(run({ ...context, recordGroup }, 'touch ran')).rejects.toThrow('enough')
    expect(existsSync(join(context.root, 'ran'))).toBe(false)
  })

  it('waits for no grandchild that keeps its output open, and ends what was left in the background', async () => {
    const context = toolHarness()
    const { text } = await run(context, 'sleep 60 & (sleep 60 > /dev/null 2>&1 &) ; echo done')
    expect(text).toMatch(/^done\n\[processes it had left in the background were ended/)
    expect(isGroupAlive(context.groups[0]!.pid)).toBe(false)
  })

  it('does not hang on a process that left for a session of its own with the output open', async () => {
    const context = toolHarness()
    const { text } = await run(context, 'setsid sleep 60 & echo $!; sleep 0.2')
    const pid = Number(text.split('\n')[0])
    expect(pid).toBeGreaterThan(0)
    process.kill(pid, 'SIGKILL')
  })

  it('keeps 100 MB of output in a file and little of it in memory, with head and tail in the result', async () => {
    const context = toolHarness()
    const before = process.memoryUsage().rss
    const { text } = await run(context, 'echo first; head -c 100000000 /dev/zero | tr "\\0" x; echo; echo last')
    expect(text.startsWith('first\n')).toBe(true)
    expect(text.endsWith('\nlast')).toBe(true)
    expect(text.length).toBeLessThan(50_000)
    const path = /All of it is in (\S+):/.exec(text)![1]!
    expect(path).toBe('.teams/web/outputs/ada/1-bash.txt')
    const { size, mode } = statSync(join(context.root, path))
    expect([size, mode & 0o777]).toEqual([100_000_012, 0o600])
    expect(readFileSync(join(context.root, '.teams', '.gitignore'), 'utf8')).toBe('*\n')
    expect(process.memoryUsage().rss - before).toBeLessThan(90_000_000)
  }) // A34

  it('reports progress while it runs, and its last line in any case', async () => {
    const context = toolHarness()
    await run(context, 'echo one; echo two')
    expect(context.progressTexts.at(-1)).toBe('two')
  })

  it('says what to do with a command that is too long, empty or holds a NUL byte', async () => {
    const context = toolHarness()
    expect((await run(context, `: ${'x'.repeat(200_000)}`)).text).toContain('Write it to a file with write_file')
    expect((await run(context, 'echo a\0b')).text).toContain('command: holds a NUL byte')
    expect((await run(context, '')).text).toContain('Invalid input for bash: command:')
    expect((await run(context, 'true', { timeout: 700_000 })).text).toContain('timeout:')
  })
})

describe('bash in the background', () => {
  it('returns at once with an id, and reports its end once', async () => {
    const context = toolHarness()
    const { text } = await run(context, 'echo working; exit 0', { run_in_background: true })
    expect(JSON.parse(text.split('\n')[0]!)).toEqual({ task_id: 'b000001', status: 'running' })
    const job = context.jobs.get('b000001')!
    await job.ended
    expect(job).toMatchObject({ state: 'completed', summary: 'exit code 0', output: 'working\n' })
    expect(context.ended).toEqual([job])
    expect(context.groups).toMatchObject([{ job: 'b000001' }])
  }) // A50, A52, A57

  it('has failed when its exit code is not 0', async () => {
    const context = toolHarness()
    await run(context, 'exit 4', { run_in_background: true })
    const job = context.jobs.list()[0]!
    await job.ended
    expect(job).toMatchObject({ state: 'failed', summary: '[exit code 4]' })
  }) // F39, A57

  it('is ended by a stop, and never completes after that', async () => {
    const context = toolHarness()
    await run(context, 'trap "" TERM; touch begun; sleep 60 & while :; do sleep 1; done', { run_in_background: true })
    const job = context.jobs.list()[0]!
    await vi.waitUntil(() => existsSync(join(context.root, 'begun')), { timeout: 30_000 })
    await Promise.all([job.stop(), job.stop()])
    expect(job.state).toBe('stopped')
    expect(isGroupAlive(context.groups[0]!.pid)).toBe(false)
    expect(context.ended).toEqual([job])
  }) // F39, A54

  it('is not offered to agents without TaskOutput and TaskStop', async () => {
    const tool = createBash({ background: false })
    expect(Object.keys(tool.schema.properties as object)).toEqual(['command', 'timeout'])
    const { text } = await run(toolHarness(), 'true', { run_in_background: true }, tool)
    expect(text).toContain('run_in_background')
  })
})
