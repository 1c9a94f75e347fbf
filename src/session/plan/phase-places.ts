import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TeamHandle } from '../../journal/team-handle.ts'
import { isInside } from '../../permissions/paths/places.ts'
import { realPath } from '../../permissions/paths/safe-reads.ts'
import type { HandOffFiles } from '../../team/plans/plan-views.ts'

/** What the organisation of the workspace says about the files of phases. */
export interface PhaseRules {
  /** Files of hand-offs, with `{department}` for a name. */
  readonly handOffFiles: readonly string[]
  /** The folder with plans and phases, relative to the workspace. */
  readonly planning: string
}

export interface PhasePlaces {
  /** Real paths of folders whose files are watched: of known phases, those beside them, and those of the planning folder. */
  watched(): string[]
  readonly handOffFiles: HandOffFiles
}

interface PhasePlacesOptions extends PhaseRules {
  /** The real path of the workspace. */
  readonly root: string
  team(): TeamHandle | undefined
}

const MAX_FOLDERS = 1000
const PLAN_FILE = /^\d\d-\d\d\.plan\.jsonl$/i

/** Where the phases of a workspace are, as far as a session knows. */
export function createPhasePlaces({ root, planning, handOffFiles, team }: PhasePlacesOptions): PhasePlaces {
  const knownFolders = () => {
    const state = team()?.state
    return state ? [...state.plans.values(), ...state.steps.values()].map(({ folder }) => folder) : []
  }
  return {
    watched() {
      const known = knownFolders().map((folder) => join(root, folder))
      const places = new Set([...known.map((folder) => dirname(folder)), join(root, planning, 'phases')])
      const beside = [...places].filter((place) => isInside(root, place)).flatMap(foldersIn)
      const real = [...known, ...beside].flatMap((folder) => realPath(folder) ?? [])
      return [...new Set(real)].filter((folder) => isInside(root, folder)).slice(0, MAX_FOLDERS)
    },
    handOffFiles: {
      names: handOffFiles,
      isOfPhase: (folder) =>
        `${folder}/`.toLowerCase().startsWith(`${planning}/`.toLowerCase()) ||
        knownFolders().some((known) => known.toLowerCase() === folder.toLowerCase()) ||
        namesIn(join(root, folder)).some((name) => PLAN_FILE.test(name)),
    },
  }
}

function foldersIn(place: string): string[] {
  try {
    const entries = readdirSync(place, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(place, name))
  } catch {
    return []
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
