import type { Call } from '../context.ts'
import { Misused } from '../failure.ts'

/** The address of the store that was asked for; undefined means files. */
export function wantedStore({ globals, env }: Call): string | undefined {
  const wanted = globals.store ?? (env.DESKMATES_STORE || 'files')
  if (wanted === 'files') return undefined
  if (/^postgres(ql)?:/.test(wanted)) return wanted
  throw new Misused('--store (or DESKMATES_STORE) is neither files nor an address that begins with postgres://')
}
