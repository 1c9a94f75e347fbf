import type { TeamHandle } from '../journal/team-handle.ts'

/** What is damaged in a journal although it can be written: what stood there does not count. */
export function damagesIn({ name, log }: TeamHandle): string[] {
  const damaged = log.faults().filter(({ kind }) => kind === 'damaged')
  return damaged.map(
    ({ path, line, offset }) =>
      `${path}:${line} (byte ${offset}) is damaged: what stood in that line is lost and does not count, such as a message. See: deskmates check --team ${name}; put it aside: deskmates check --repair --team ${name}`,
  )
}
