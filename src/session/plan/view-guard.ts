import { lstatSync, readdirSync, renameSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Clock } from '../../journal/clock.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import { readPlainFile, statusOf } from '../../permissions/paths/safe-reads.ts'
import { isPlanView } from '../../team/plans/plan-views.ts'
import type { Workspace } from '../../workspace.ts'
import { plansOfOtherTeams } from './other-teams.ts'
import { putPhaseFile, writtenHere } from './phase-file.ts'
import type { PhasePlaces } from './phase-places.ts'

/**
 * Watches the files of phases that the runtime writes, while a command runs: that such a file is there means something to
 * people and scripts, and a sandbox cannot forbid a name. With or without a sandbox; nothing here is read to decide.
 */
export interface ViewGuard {
  /** Call what it returns when the command has ended: it takes back what the command made, and says what that was. */
  watch(agent: string): () => Promise<readonly string[]>
}

export interface ViewGuardOptions {
  /** The real path of the workspace. */
  readonly root: string
  readonly workspace: Pick<Workspace, 'store'>
  readonly clock: Clock
  readonly places: PhasePlaces
  team(): TeamHandle | undefined
  /** The user hears of it too. */
  report(agent: string, text: string): void
}

export function createViewGuard(options: ViewGuardOptions): ViewGuard {
  const { root, report, places, clock } = options
  const look = () => {
    const folders = places.watched()
    const paths = folders.flatMap((folder) => viewsIn(folder, places.handOffFiles.names))
    return { folders: new Set(folders), files: new Map(paths.map((path) => [path, contentOf(path)] as const)) }
  }
  return {
    watch(agent) {
      const before = look()
      const begin = clock.now()
      // A folder that became known meanwhile may hold files of people: those are older than the command.
      const isMeant = (path: string) => before.folders.has(dirname(path)) || isNewer(path, begin)
      return async () => {
        const isChanged = (path: string, content: string | null) =>
          content !== before.files.get(path) || content === null
        const changed = [...look().files].filter(([path, content]) => isChanged(path, content) && isMeant(path))
        const undone: string[] = []
        for (const [path, content] of changed) {
          if (content !== null && (content === writtenHere(path) || (await isSummary(options, path, content)))) continue
          const text = takeBack(root, path, writtenHere(path) ?? before.files.get(path))
          undone.push(text)
          report(agent, text)
        }
        return undone
      }
    },
  }
}

/** A process of ours may have written it meanwhile: then a journal says the same. */
async function isSummary(
  { root, workspace, clock, team }: ViewGuardOptions,
  path: string,
  content: string,
): Promise<boolean> {
  const [, id] = /^(\d\d-\d\d)\.summary\.jsonl$/i.exec(basename(path)) ?? []
  if (id === undefined) return false
  const folder = relative(root, dirname(path))
  const own = [...(team()?.state.plans.values() ?? [])].map((plan) => ({ plan }))
  const others = await plansOfOtherTeams(workspace, { team: team()?.name ?? '', clock })
  return [...own, ...others].some(
    ({ plan }) =>
      plan.id === id && plan.folder === folder && plan.summary && `${JSON.stringify(plan.summary)}\n` === content,
  )
}

function takeBack(root: string, path: string, wanted: string | null | undefined): string {
  const name = relative(root, path)
  try {
    const refused = renamed(path)
    if (typeof wanted === 'string') putPhaseFile(root, dirname(name), basename(path), wanted)
    const now = typeof wanted === 'string' ? 'it says again what the journal says' : 'it is gone again'
    return `[${name} was made or changed by the command and ${now}: only deskmates writes it, from the journal. What the command wrote is in ${refused} and counts for nothing. Complete the tasks of the plan instead.]`
  } catch (error) {
    return `[${name} was made or changed by the command and could not be taken back (${(error as Error).message}). It counts for nothing: the journal decides.]`
  }
}

function renamed(path: string): string {
  for (let i = 1; ; i++) {
    const refused = `${path}.refused${i === 1 ? '' : `-${i}`}`
    if (statusOf(refused) !== undefined) continue
    renameSync(path, refused)
    return basename(refused)
  }
}

/** Null where it is no regular file. */
function contentOf(path: string): string | null {
  try {
    return readPlainFile(path)?.toString() ?? null
  } catch {
    return null
  }
}

/** The clock of a file system may be behind by a tick. */
const TICK_S = 0.1

/** The time of the last change of its inode, which no program can set. */
function isNewer(path: string, begin: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat !== undefined && stat.ctimeMs / 1000 >= begin - TICK_S
}

function viewsIn(folder: string, handOffFiles: readonly string[]): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => isPlanView(name, handOffFiles) && !OWN_MARK.test(name))
      .map((name) => join(folder, name))
  } catch {
    return []
  }
}

/** Made and removed by processes that load plans; one that stays is named by the process that waits for it. */
const OWN_MARK = /^\.plan-load-/i
