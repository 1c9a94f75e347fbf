import type { SessionMode, SessionModeState } from '@agentclientprotocol/sdk'
import { MODES } from '../../permissions/rules/modes.ts'
import type { Mode } from '../../permissions/rules/policy.ts'

const SHOWN: Readonly<Record<Mode, Omit<SessionMode, 'id'>>> = {
  default: { name: 'Default', description: 'Asks before what no rule allows' },
  acceptEdits: { name: 'Accept edits', description: 'Changes files of the workspace without asking' },
  plan: { name: 'Plan', description: 'Reads only' },
  dontAsk: { name: "Don't ask", description: 'Denies what would be asked' },
  bypassPermissions: { name: 'Bypass permissions', description: 'Does everything that no rule denies' },
}

/** An editor cannot reach `bypassPermissions` unless the program was started with it. */
export function modesOf(current: Mode, first: Mode): SessionModeState {
  const offered = MODES.filter((mode) => mode !== 'bypassPermissions' || first === mode)
  return { currentModeId: current, availableModes: offered.map((id) => ({ id, ...SHOWN[id] })) }
}

export function isMode(id: string): id is Mode {
  return MODES.some((mode) => mode === id)
}
