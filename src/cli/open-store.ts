import { resolve } from 'node:path'
import { openWorkspace, type Workspace } from '../workspace.ts'
import type { Call } from './context.ts'
import { Misused } from './failure.ts'
import { warn } from './print.ts'

export async function openStore(call: Call): Promise<Workspace> {
  refuseOtherStores(call)
  const { env, globals } = call
  return openWorkspace({
    cwd: resolve(call.cwd, globals.cwd ?? '.'),
    env,
    warn: (message) => void warn(call, message),
  })
}

function refuseOtherStores({ globals, env }: Call): void {
  const wanted = globals.store ?? (env.DESKMATES_STORE || 'files')
  if (wanted === 'files') return
  if (/^postgres(ql)?:/.test(wanted)) {
    throw new Misused('This version of deskmates keeps teams in files only; PostgreSQL comes later. Use: --store files')
  }
  // The text is not repeated: it may be an address with a password in it.
  throw new Misused('--store (or DESKMATES_STORE) is neither files nor an address that begins with postgres://')
}
