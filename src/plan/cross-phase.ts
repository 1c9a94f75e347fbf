import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Where a plan of another phase and its summary are: in the folder itself, or in a folder beside it (`phases/01-setup/`). */
export function findCrossPhase(folder: string, id: string): { planFile?: string; summaryFile?: string } {
  const find = (name: string) => [folder, ...foldersBeside(folder)].map((place) => join(place, name)).find(existsSync)
  const planFile = find(`${id}.plan.jsonl`)
  const summaryFile = find(`${id}.summary.jsonl`)
  return { ...(planFile !== undefined && { planFile }), ...(summaryFile !== undefined && { summaryFile }) }
}

function foldersBeside(folder: string): string[] {
  const parent = dirname(folder)
  try {
    const entries = readdirSync(parent, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(parent, name))
  } catch {
    return []
  }
}
