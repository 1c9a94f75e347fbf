import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Examination, Finding } from '../../src/cli/doctor/examination.ts'
import { openTestEnvironment, type TestEnvironment } from '../../src/cli/doctor/test-environment.ts'
import type { Call } from '../../src/cli/program/context.ts'
import { systemClock } from '../../src/journal/clock.ts'
import { type Disk, realDisk } from '../../src/stores/files/disk.ts'

/** Runs examinations of `doctor` in a temporary folder, on a machine with the given faults. */
export interface DoctorHarness extends AsyncDisposable {
  readonly root: string
  readonly environment: TestEnvironment
  /** Puts a shell script with this name first in PATH. */
  program(name: string, script: string, mode?: number): void
  /** Runs one examination as the command does, but lets its errors through. */
  examine(examination: Examination): Promise<Finding>
  /** The files in the workspace folder. */
  remainingFiles(): string[]
}

export interface Machine {
  readonly cli?: string
  /** Replaced calls of the file system. */
  readonly disk?: Partial<Disk>
  readonly env?: NodeJS.ProcessEnv
  readonly patience?: number
  /** PATH holds only the programs the test adds. */
  readonly onlyOwnPrograms?: boolean
  readonly call?: Partial<Call>
}

export function doctorHarness(machine: Machine = {}): DoctorHarness {
  const { cli = '', disk, env, patience = 10_000, onlyOwnPrograms, call } = machine
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-doctor-test-')))
  const [root, programs] = [join(top, 'work'), join(top, 'bin')]
  for (const dir of [root, programs]) mkdirSync(dir)
  const silent = { write: (_: string, done: () => void) => done() }
  const path = onlyOwnPrograms ? programs : [programs, process.env.PATH].join(delimiter)
  const given: Call = {
    ...{ stdout: silent, stderr: silent, stdin: (async function* () {})(), cwd: root, isTerminal: false },
    env: { PATH: path, HOME: top, ...env },
    signal: new AbortController().signal,
    clock: systemClock,
    globals: { json: false },
    ...call,
  }
  const environment = openTestEnvironment(given, { root, cli, disk: { ...realDisk, ...disk }, patience })
  return {
    root,
    environment,
    program(name, script, mode = 0o755) {
      writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`)
      chmodSync(join(programs, name), mode)
    },
    async examine({ examine, remedy }) {
      const finding = await examine(environment)
      return finding.verdict === 'pass' ? finding : { remedy, ...finding }
    },
    remainingFiles: () => readdirSync(root),
    async [Symbol.asyncDispose]() {
      await environment[Symbol.asyncDispose]()
      rmSync(top, { recursive: true, force: true })
    },
  }
}
