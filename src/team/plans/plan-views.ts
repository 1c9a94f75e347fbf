/**
 * `03-01.summary.jsonl` and the files that departments are coordinated by, also where a file system ignores case, and the
 * marks of processes that load plans.
 */
const PLAN_VIEW =
  /^(?:\d\d-\d\d\.summary\.jsonl|\.dept-status-[\w-]+\.json|\.handoff-[\w-]+-complete|\.execution-state\.json|\.phase-orchestration\.json|\.plan-load-[\w-]+\.lock|api-contracts\.jsonl|design-handoff\.jsonl|owner-(?:review|signoff)\.jsonl)$/i

/**
 * A file in the folder of a phase that the runtime writes from the journal: agents read it and never write it. `handOffFiles` are those
 * of the organisation, with `{department}` for a name.
 */
export function isPlanView(path: string, handOffFiles: readonly string[] = []): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return PLAN_VIEW.test(name) || handOffFiles.some((file) => namePattern(file).test(name))
}

/** The files of hand-offs that an organisation names. */
export interface HandOffFiles {
  /** With `{department}` for a name. */
  readonly names: readonly string[]
  /** Whether this folder, relative to the workspace, is one of a phase: anywhere else such a name means nothing. */
  isOfPhase(folder: string): boolean
}

/** A path relative to the workspace that agents never write: one of the names above, wherever it is, or a hand-off of a phase. */
export function isProtectedView(path: string, handOffFiles?: HandOffFiles): boolean {
  if (isPlanView(path)) return true
  if (!handOffFiles || !isPlanView(path, handOffFiles.names)) return false
  return handOffFiles.isOfPhase(path.slice(0, Math.max(0, path.lastIndexOf('/'))).replace(/^\//, ''))
}

function namePattern(file: string): RegExp {
  const parts = file.split('{department}').map((part) => part.replaceAll(/[.{}]/g, '\\$&'))
  return new RegExp(`^${parts.join('[\\w-]+')}$`, 'i')
}
