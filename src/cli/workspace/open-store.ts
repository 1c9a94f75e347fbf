import { resolve } from 'node:path'
import { openWorkspace, type Workspace } from '../../workspace.ts'
import { warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { Misused } from '../program/failure.ts'

export async function openStore(call: Call): Promise<Workspace> {
  const { env, globals } = call
  return openWorkspace({
    cwd: resolve(call.cwd, globals.cwd ?? '.'),
    env,
    store: wantedStore(call),
    warn: (message) => void warn(call, message),
  })
}

/** `files`, or the address of a database. */
export function wantedStore({ globals, env }: Call): string {
  const wanted = globals.store ?? (env.DESKMATES_STORE || 'files')
  if (wanted === 'files' || /^postgres(ql)?:\/\//.test(wanted)) return wanted
  // The text is not repeated: it may be an address with a password in it.
  throw new Misused('--store (or DESKMATES_STORE) is neither files nor an address that begins with postgres://')
}
