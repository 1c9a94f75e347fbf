import { matchesArtefact } from './match.ts'

/** The artefacts of a phase that an agent of a role is given: those its role reads, and no others. */
export function artefactsFor(reads: readonly string[], names: readonly string[]): string[] {
  return names.filter((name) => reads.some((pattern) => matchesArtefact(pattern, name))).sort()
}
