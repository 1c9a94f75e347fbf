import type { Presence } from '../journal/log/store.ts'
import { Superseded } from '../journal/log/store-errors.ts'
import type { TeamHandle } from '../journal/team-handle.ts'
import type { Author } from '../team/event.ts'
import { isFenced } from '../team/mail/mail.ts'
import { memberNamed } from '../team/state.ts'

/**
 * Runs directly before every effect of an agent. It renews the lease first, so that no process can take over after the
 * journal was read; then the journal says whether one did before.
 */
export function createFence(
  { team, presence }: { readonly team: TeamHandle; readonly presence: Presence },
  by: Author,
): () => Promise<void> {
  return async () => {
    await presence.confirm()
    await team.refresh()
    throwIfSuperseded(team, by)
  }
}

/** Judges by what was folded so far. */
export function throwIfSuperseded({ name, state }: Pick<TeamHandle, 'name' | 'state'>, by: Author): void {
  if (!isFenced(state, { by })) return
  const member = memberNamed(state, by.name)
  const why =
    member?.generation === by.generation && member?.status === 'stopped'
      ? 'was stopped'
      : 'was taken over by another process'
  throw new Superseded(`${by.name} of team ${name} ${why}; this process does nothing more for it.`)
}
