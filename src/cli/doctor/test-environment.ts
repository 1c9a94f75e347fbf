import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ulid } from 'ulid'
import type { Store } from '../../journal/log/store.ts'
import { openTeam, type TeamHandle } from '../../journal/team-handle.ts'
import { findProgram } from '../../permissions/processes/find-program.ts'
import type { Disk } from '../../stores/files/disk.ts'
import { nearestExisting } from '../../stores/files/file-system-kind.ts'
import { look, thisRuntime } from '../../stores/identity.ts'
import type { TaskDraft } from '../../team/task.ts'
import { openWorkspace, type Workspace } from '../../workspace.ts'
import type { Call } from '../program/context.ts'
import { granted } from '../program/failure.ts'
import { type Children, createChildren, type DoctorProcess, type Ran } from './children.ts'

/**
 * A folder on the disk where the teams of this machine would be, and the processes that doctor starts in it. No team is
 * touched. Closing the environment removes all of it.
 */
export interface TestEnvironment extends AsyncDisposable {
  readonly call: Call
  /** The folder that holds, or would hold, `.teams`. */
  readonly root: string
  readonly disk: Disk
  /** Milliseconds within which something immediate has to happen. */
  readonly patience: number
  /** Aborts when the examination has to end; after that no process is started. */
  readonly signal: AbortSignal
  /** The same environment with another signal. */
  during(signal: AbortSignal): TestEnvironment
  /** A new folder of this name; the first one creates the environment's own folder. */
  folder(name: string): string
  /** The teams of such a folder, opened as every command opens them. */
  open(folder: string): Promise<Workspace>
  /** Runs another program in such a folder. */
  run(program: string, args: readonly string[], folder: string): Promise<Ran>
  /** Starts one of our own processes in such a folder. */
  play(folder: string, part: string, name?: string): DoctorProcess
  readonly children: Children
}

export interface TestEnvironmentOptions {
  readonly root: string
  /** The file that is our command line. */
  readonly cli: string
  readonly disk: Disk
  readonly patience: number
}

/** The folder is named after its process, so that the folder of a killed doctor is recognised. */
const PREFIX = '.deskmates-doctor-'

export function openTestEnvironment(
  call: Call,
  { root, cli, disk, patience }: TestEnvironmentOptions,
): TestEnvironment {
  const env = ownEnvironment(call.env)
  const children = createChildren({ cli, env })
  const above = nearestExisting(disk, root)
  let dir: string | undefined

  /** Trust is stored inside too: nothing outside knows these teams. */
  const environmentOf = (folder: string) => ({
    ...env,
    DESKMATES_DIR: folder,
    DESKMATES_STATE: join(dir ?? folder, 'state'),
  })

  function createFolder(): string {
    removeLeftFolders(disk, above)
    const made = join(above, `${PREFIX}${thisRuntime()}.${ulid()}`)
    disk.mkdirSync(made, 0o700)
    dir = made
    process.once('exit', cleanUpNow)
    writeFileSync(join(made, '.gitignore'), '*\n')
    return made
  }

  /** Also when this process exits early, by a second Ctrl-C or a bug. */
  function cleanUpNow(): void {
    children.endNow()
    if (dir !== undefined) disk.removeSync(dir)
  }

  function during(signal: AbortSignal): TestEnvironment {
    return {
      call,
      root,
      disk,
      patience,
      signal,
      during,
      children,
      folder(name) {
        const folder = join(dir ?? createFolder(), name)
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
        process.off('exit', cleanUpNow)
        if (dir !== undefined) disk.removeSync(dir)
      },
    }
  }
  return during(call.signal)
}

/** Without variables that lead our processes to another team, store or repository. */
function ownEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(DESKMATES|GIT)_/.test(name)))
}

/** Removes folders of doctors that were killed, once their process is certainly dead. */
function removeLeftFolders(disk: Disk, above: string): void {
  for (const name of disk.readdirSync(above)) {
    const [maker = ''] = name.startsWith(PREFIX) ? name.slice(PREFIX.length).split('.') : []
    if (maker !== '' && look(maker) === 'dead') disk.removeSync(join(above, name))
  }
}

/** Members of the test team; none of them is an agent. */
export const TEST_MEMBERS = ['ada', 'bob'] as const

/** Creates a team with the test members and this board, as a user would. */
export async function createTestTeam(
  store: Store,
  name: string,
  tasks: readonly TaskDraft[] = [],
): Promise<TeamHandle> {
  const team = await openTeam(store, name)
  granted(await team.run({ type: 'team.create', team: name }))
  for (const member of TEST_MEMBERS) granted(await team.run({ type: 'member.join', name: member, role: 'tester' }))
  if (tasks.length > 0) granted(await team.run({ type: 'task.add', tasks }))
  return team
}
