import type { Clock } from '../../journal/clock.ts'
import { openTeam } from '../../journal/team-handle.ts'
import type { Answer } from '../../team/answers/answer.ts'
import type { HandOffDraft } from '../../team/phases/phase.ts'
import type { Refusal } from '../../team/refusal.ts'
import type { Workspace } from '../../workspace.ts'
import { ownerTeam, type Phase } from './phase.ts'

interface PlaceOfHandOffs {
  readonly phase: Pick<Phase, 'organisation'>
  readonly workspace: Workspace
  readonly clock: Clock
}

/** Records a hand-off in the journal of the owner's team, which all departments share: so two answers cannot both win. */
export async function recordHandOff(
  { phase, workspace, clock }: PlaceOfHandOffs,
  handOff: HandOffDraft,
  commandId?: string,
): Promise<Answer | Refusal> {
  await using owner = await openTeam(workspace.store, ownerTeam(phase), { clock })
  await owner.refresh()
  if (!owner.state.team.get())
    await owner.run({ type: 'team.create', team: ownerTeam(phase), description: 'hand-offs between departments' })
  return owner.run({ type: 'handoff.record', handOff }, commandId === undefined ? {} : { commandId })
}
