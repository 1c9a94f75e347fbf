import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { systemClock } from '../../journal/clock.ts'
import { type Disk, realDisk } from '../../stores/files/disk.ts'
import type { Call } from '../context.ts'
import type { Examination, Finding } from './examination.ts'
import { openRoom, type Room } from './room.ts'

/** A folder of its own in which a test has a machine examined, with whatever is wrong with that machine. */
export interface WaitingRoom extends AsyncDisposable {
  readonly root: string
  readonly room: Room
  /** Puts a shell script of this name in front of all other programs. */
  program(name: string, script: string, mode?: number): void
  /** Examines as the command does, without what catches what an examination throws. */
  examine(examination: Examination): Promise<Finding>
  /** What lies in the folder where the teams would live. */
  left(): string[]
}

export interface Machine {
  readonly cli?: string
  /** What is different about its disk. */
  readonly disk?: Partial<Disk>
  readonly env?: NodeJS.ProcessEnv
  readonly patience?: number
  /** Finds no program but those that the test puts there. */
  readonly onlyOwnPrograms?: boolean
  readonly call?: Partial<Call>
}

export function openWaitingRoom(machine: Machine = {}): WaitingRoom {
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
  const room = openRoom(given, { root, cli, disk: { ...realDisk, ...disk }, patience })
  return {
    root,
    room,
    program(name, script, mode = 0o755) {
      writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`)
      chmodSync(join(programs, name), mode)
    },
    examine: ({ examine }) => examine(room),
    left: () => readdirSync(root),
    async [Symbol.asyncDispose]() {
      await room[Symbol.asyncDispose]()
      rmSync(top, { recursive: true, force: true })
    },
  }
}
