import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ulid } from 'ulid'
import { findProgram } from '../../permissions/processes/find-program.ts'
import type { Disk } from '../../stores/files/disk.ts'
import { look, thisRuntime } from '../../stores/identity.ts'
import { openWorkspace, type Workspace } from '../../workspace.ts'
import type { Call } from '../program/context.ts'
import { type Children, createChildren, type Player, type Ran } from './children.ts'

/**
 * Where this machine is examined: a folder beside the place where the teams would live, so that it is their disk that
 * is tried and no team is touched, and the processes started for it. All of it goes when the room is closed.
 */
export interface Room extends AsyncDisposable {
  readonly call: Call
  /** The folder that holds, or would hold, `.teams`. */
  readonly root: string
  readonly disk: Disk
  /** Milliseconds within which what should happen at once has to happen. */
  readonly patience: number
  /** Aborts when what is done here has to come to its end; after that no process is started any more. */
  readonly signal: AbortSignal
  /** The same room for as long as this signal allows. */
  during(signal: AbortSignal): Room
  /** A new folder of this name in the room; the room itself is made by the first one. */
  folder(name: string): string
  /** The teams of such a folder, opened as every command opens them. */
  open(folder: string): Promise<Workspace>
  /** Runs some other program in such a folder. */
  run(program: string, args: readonly string[], folder: string): Promise<Ran>
  /** Starts one of our own processes in such a folder. */
  play(folder: string, part: string, name?: string): Player
  readonly children: Children
}

export interface RoomOptions {
  readonly root: string
  /** The file that is our command line. */
  readonly cli: string
  readonly disk: Disk
  readonly patience: number
}

/** A folder that a killed doctor left is known by its name, which says who made it. */
const PREFIX = '.deskmates-doctor-'

export function openRoom(call: Call, { root, cli, disk, patience }: RoomOptions): Room {
  const env = ownEnvironment(call.env)
  const children = createChildren({ cli, env })
  const above = nearest(disk, root)
  let dir: string | undefined

  /** What is trusted is kept in the room too: nothing outside of it ever hears of these teams. */
  const environmentOf = (folder: string) => ({
    ...env,
    DESKMATES_DIR: folder,
    DESKMATES_STATE: join(dir ?? folder, 'state'),
  })

  function enter(): string {
    sweep(disk, above)
    const made = join(above, `${PREFIX}${thisRuntime()}.${ulid()}`)
    disk.mkdirSync(made, 0o700)
    dir = made
    process.once('exit', leaveNow)
    writeFileSync(join(made, '.gitignore'), '*\n')
    return made
  }

  /** Also when we are made to exit in the middle, by a second Ctrl-C or a bug. */
  function leaveNow(): void {
    children.endNow()
    if (dir !== undefined) disk.removeSync(dir)
  }

  function during(signal: AbortSignal): Room {
    return {
      call,
      root,
      disk,
      patience,
      signal,
      during,
      children,
      folder(name) {
        const folder = join(dir ?? enter(), name)
        disk.mkdirSync(folder, 0o700)
        return folder
      },
      open: (folder) => openWorkspace({ cwd: folder, env: environmentOf(folder), warn: () => {} }),
      async run(program, args, folder) {
        signal.throwIfAborted()
        // Doctor may run in a folder whose programs agents can write, found first on a PATH that npm made.
        const found = findProgram(program, env.PATH, [root, above])
        if (found === undefined) throw Object.assign(new Error(`${program} is not installed`), { code: 'ENOENT' })
        return children.run(found.file, args, folder)
      },
      play(folder, part, name) {
        signal.throwIfAborted()
        const args = ['doctor', '--play', part, ...(name === undefined ? [] : ['--name', name]), '--cwd', folder]
        return children.play(args, environmentOf(folder))
      },
      async [Symbol.asyncDispose]() {
        await children.end()
        process.off('exit', leaveNow)
        if (dir !== undefined) disk.removeSync(dir)
      },
    }
  }
  return during(call.signal)
}

/** Nothing that would lead our processes to another team, store or repository, or git to the user's. */
function ownEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(DESKMATES|GIT)_/.test(name)))
}

/** The folder itself or, while it is still to be made, the first one above it that exists: the same disk. */
function nearest(disk: Disk, dir: string): string {
  return disk.statSync(dir) || dirname(dir) === dir ? dir : nearest(disk, dirname(dir))
}

/** A doctor that was killed could not clean up; its folder goes when it is certain that nobody is in it. */
function sweep(disk: Disk, above: string): void {
  for (const name of disk.readdirSync(above)) {
    const [maker = ''] = name.startsWith(PREFIX) ? name.slice(PREFIX.length).split('.') : []
    if (maker !== '' && look(maker) === 'dead') disk.removeSync(join(above, name))
  }
}
