import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { type DoctorHarness, doctorHarness } from '../../../test/cli/doctor-harness.ts'
import type { Call } from '../program/context.ts'
import { type Examination, fail, notAvailable, pass } from './examination.ts'
import { examineMachine, type Limits } from './examine-machine.ts'
import { fileSystem } from './file-system.ts'
import { openReport, openSilence } from './report.ts'

/** A program that starts another one, which has to be ended too. */
const SLEEPER = ['-c', 'sleep 4000; true']
const at = (examine: Examination['examine'], onDisk = false): Examination => ({
  ...{ name: 'something', remedy: 'Do something', onDisk, examine },
})

async function findings(waiting: DoctorHarness, examinations: readonly Examination[], limits?: Limits) {
  return examineMachine(waiting.environment, examinations, openSilence(), limits)
}

describe('examining a machine', () => {
  it('continues after an examination that throws, and gives its remedy', async () => {
    await using waiting = doctorHarness()
    const broken = at(() => Promise.reject(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })))
    expect(await findings(waiting, [broken, at(async () => pass('fine'))])).toEqual([
      { name: 'something', verdict: 'fail', detail: 'EIO: i/o error, fdatasync', remedy: 'Do something' },
      { name: 'something', verdict: 'pass', detail: 'fine', remedy: null },
    ])
  })

  it('reports an error without a code as a bug of deskmates', async () => {
    await using waiting = doctorHarness()
    const [examined] = await findings(waiting, [at(() => Promise.reject(new TypeError('x is not a function')))])
    expect(examined).toMatchObject({ verdict: 'fail', detail: expect.stringContaining('This is a bug') })
  })

  it('skips examinations of the disk where no folder can be used, and runs the rest', async () => {
    const mkdirSync = () => {
      throw Object.assign(new Error('EACCES: permission denied, mkdir'), { code: 'EACCES' })
    }
    await using waiting = doctorHarness({ disk: { mkdirSync } })
    const tried: string[] = []
    const trying = (name: string) => async () => pass(String(tried.push(name)))
    const all = await findings(waiting, [fileSystem, at(trying('disk'), true), at(trying('terminal'))])
    expect(all.map(({ verdict }) => verdict)).toEqual(['fail', 'not available', 'pass'])
    expect(all[0]).toMatchObject({
      detail: expect.stringContaining('EACCES'),
      remedy: expect.stringContaining('DESKMATES_DIR'),
    })
    expect(all[1]?.remedy).toContain('file system')
    expect(tried).toEqual(['terminal'])
  })

  it('ends the processes of an examination that takes too long, and calls it a failure', async () => {
    await using waiting = doctorHarness()
    const hanging = at(async ({ run, folder }) => pass(String((await run('sh', SLEEPER, folder('hang'))).code)), true)
    const never = at(() => new Promise(() => {}))
    const all = await findings(waiting, [hanging, never], { each: 50, grace: 10 })
    const tooLate = {
      name: 'something',
      verdict: 'fail',
      detail: 'it did not end within 0.05 s',
      remedy: 'Do something',
    }
    expect(all).toEqual([tooLate, tooLate])
  })

  it('ends everything it started and removes everything it made when it is interrupted', async () => {
    const interruption = new AbortController()
    await using waiting = doctorHarness({ call: { signal: interruption.signal } })
    const interrupted = at(async ({ run, folder }) => {
      const running = run('sh', SLEEPER, folder('hang'))
      interruption.abort()
      return pass(String((await running).code))
    }, true)
    await expect(findings(waiting, [interrupted, interrupted])).rejects.toMatchObject({ code: 'interrupted' })
    expect(waiting.remainingFiles()).toHaveLength(1)
    await waiting.environment[Symbol.asyncDispose]()
    expect(waiting.remainingFiles()).toEqual([])
  })

  it('leaves no listener and no folder behind when it is over', async () => {
    const listeners = process.listenerCount('exit')
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('deskmates-doctor-0'))
    await using waiting = doctorHarness()
    await findings(waiting, [fileSystem, at(async ({ folder }) => pass(folder('more')))])
    await waiting.environment[Symbol.asyncDispose]()
    expect(waiting.remainingFiles()).toEqual([])
    expect(process.listenerCount('exit')).toBe(listeners)
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('deskmates-doctor-0'))).toEqual(before)
  })
})

describe('the report', () => {
  const three = [
    at(async () => pass('fine')),
    at(async () => notAvailable('not here', 'get it')),
    at(async () => fail('broken', 'mend it')),
  ]

  async function shown(changes: Partial<Call>, examinations = three): Promise<string> {
    let text = ''
    const stdout = {
      columns: 60,
      write(written: string, done: () => void) {
        text += written
        done()
      },
    }
    await using waiting = doctorHarness({ env: changes.env, call: { ...changes, stdout } })
    await using report = openReport(waiting.environment.call)
    const all = await examineMachine(waiting.environment, examinations, report)
    await report.closing(all, 1234)
    return text.replace(/\d\.\d\d s/g, '0.00 s')
  }

  it('is one line each in a pipe, with the remedy below what is not in order', async () => {
    expect(await shown({})).toBe(`  pass           something         0.00 s  fine
  not available  something         0.00 s  not here
                 → get it
  fail           something         0.00 s  broken
                 → mend it

1 thing needs care: 1 passed, 1 failed, 1 not available, in 0.00 s
`)
  })

  it('gives the same advice once', async () => {
    const homeless = at(async () => notAvailable('no place', 'make one'))
    const text = await shown({}, [homeless, at(async () => pass('fine')), homeless])
    expect(text.match(/no place/g)).toHaveLength(2)
    expect(text.match(/→ make one/g)).toHaveLength(1)
  })

  it('shows on a terminal what is being tried, and puts the finding in its place', async () => {
    const text = await shown({ isTerminal: true, env: { NO_COLOR: '1' } })
    expect(text).toContain('  2/3  something …\r\x1b[K  not available  something')
    expect(text).toMatch(/^deskmates doctor {2}\d+\.\d+\.\d+, Node \d/)
  })

  it('puts below its name what does not fit on a line of a terminal', async () => {
    const long = at(async () => pass('a finding of more words than go on it'))
    const text = await shown({ isTerminal: true, env: { TERM: 'dumb', NO_COLOR: '1' } }, [long])
    expect(text).toContain('  pass           something         0.00 s  a finding of more\n                 words')
  })

  it('moves nothing on a dumb terminal', async () => {
    expect(await shown({ isTerminal: true, env: { TERM: 'dumb' } })).not.toContain('\x1b')
  })
})
