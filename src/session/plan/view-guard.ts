import { readdirSync, renameSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Clock } from '../../journal/clock.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import { isInside } from '../../permissions/paths/places.ts'
import { readPlainFile, realPath, statusOf } from '../../permissions/paths/safe-reads.ts'
import { isPlanView } from '../../team/plans/plan-views.ts'
import type { Workspace } from '../../workspace.ts'
import { plansOfOtherTeams } from './other-teams.ts'
import { putPhaseFile, writtenHere } from './phase-file.ts'

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
  /** Of the organisation; see `isPlanView`. */
  readonly handOffFiles: readonly string[]
  team(): TeamHandle | undefined
  /** The user hears of it too. */
  report(agent: string, text: string): void
}

export function createViewGuard(options: ViewGuardOptions): ViewGuard {
  const { root, report, handOffFiles } = options
  const look = () =>
    new Map(
      phaseFolders(options)
        .flatMap((folder) => viewsIn(folder, handOffFiles))
        .map((path) => [path, contentOf(path)] as const),
    )
  return {
    watch(agent) {
      const before = look()
      return async () => {
        const changed = [...look()].filter(([path, content]) => content !== before.get(path) || content === null)
        const undone: string[] = []
        for (const [path, content] of changed) {
          if (content !== null && (content === writtenHere(path) || (await isSummary(options, path, content)))) continue
          const text = takeBack(root, path, writtenHere(path) ?? before.get(path))
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

const MAX_FOLDERS = 1000

/** Folders of known phases, those beside them, and those of the usual place. */
function phaseFolders({ root, team }: ViewGuardOptions): string[] {
  const state = team()?.state
  const known = state ? [...state.plans.values(), ...state.steps.values()].map(({ folder }) => join(root, folder)) : []
  const places = new Set([...known.map((folder) => dirname(folder)), join(root, '.yolo-planning', 'phases')])
  const beside = [...places].filter((place) => isInside(root, place)).flatMap(foldersIn)
  const real = [...known, ...beside].flatMap((folder) => realPath(folder) ?? [])
  return [...new Set(real)].filter((folder) => isInside(root, folder)).slice(0, MAX_FOLDERS)
}

function foldersIn(place: string): string[] {
  try {
    const entries = readdirSync(place, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(place, name))
  } catch {
    return []
  }
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
