import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { membersOf } from '../../permissions/processes/process-group.ts'

/**
 * Limits how many processes a group can have, where the kernel does not apply the limit of the shell: to root. Best
 * effort, through the control group of this process: in a container, whose own limit then counts, there may be none.
 * The function that is returned removes the limit once the group is gone.
 */
export function limitProcesses(pid: number, processes: number): () => void {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return () => {}
  const above = controlFolder()
  const folder = above && join(above, `deskmates-${pid}`)
  if (folder === undefined) return () => {}
  try {
    mkdirSync(folder)
    writeFileSync(join(folder, 'pids.max'), String(processes))
    moveGroup(folder, pid)
  } catch {
    remove(folder)
    return () => {}
  }
  return () => remove(folder)
}

/** What a moved process starts is in the folder too, so that nothing is missed once a look finds nothing new. */
function moveGroup(folder: string, group: number): void {
  const moved = new Set<number>()
  for (let found = [group]; found.length > 0; found = pidsOf(group).filter((pid) => !moved.has(pid)))
    for (const pid of found) {
      moved.add(pid)
      writeFileSync(join(folder, 'cgroup.procs'), String(pid))
    }
}

function pidsOf(group: number): number[] {
  return membersOf(group).map(({ pid }) => pid)
}

/** The folder of this process that can count processes. */
function controlFolder(): string | undefined {
  const lines = read('/proc/self/cgroup').split('\n')
  const own = lines.find((line) => line.split(':')[1]?.split(',').includes('pids'))?.split(':')[2]
  if (own !== undefined) return CONTROLLED.map((place) => join(place, own)).find(isCounting)
  const unified = lines.find((line) => line.startsWith('0::'))?.slice(3)
  const folder = unified === undefined ? undefined : join('/sys/fs/cgroup', unified)
  return folder && /\bpids\b/.test(read(join(folder, 'cgroup.subtree_control'))) ? folder : undefined
}

const CONTROLLED = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup']

function isCounting(folder: string): boolean {
  return list(folder).includes('cgroup.procs')
}

/** A folder with processes in it cannot be removed; they are gone in a moment. */
function remove(folder: string, tries = 20): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EBUSY' && tries > 0)
      setTimeout(() => remove(folder, tries - 1), 100).unref()
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
