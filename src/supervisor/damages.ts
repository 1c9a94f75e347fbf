import type { TeamHandle } from '../journal/team-handle.ts'

/** Damaged lines of a journal that can still be written, as text for the user. */
export function damagesIn({ name, log }: TeamHandle): string[] {
  const damaged = log.faults().filter(({ kind }) => kind === 'damaged')
  return damaged.map(
    ({ path, line, offset }) =>
      `${path}:${line} (byte ${offset}) is damaged: its content, such as a message, is lost and does not count. See: deskmates check --team ${name}; archive it: deskmates check --repair --team ${name}`,
  )
}
