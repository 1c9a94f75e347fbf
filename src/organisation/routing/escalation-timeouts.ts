import type { OpenEscalation } from '../../team/mail/escalations.ts'
import { isPresent } from '../../team/members/member.ts'
import { nameKey } from '../../team/name.ts'
import type { HandOff } from '../../team/phases/phase.ts'
import { roster, type TeamState } from '../../team/state.ts'
import type { EscalationTimeouts, NextLevel } from '../../tools/message-routing.ts'
import type { Organisation } from '../definition/organisation.ts'
import { nextLevel } from '../guards/escalation.ts'
import { handOffDraft } from '../views/hand-offs.ts'
import { partyOf } from './roles.ts'

interface Place {
  readonly organisation: Organisation
  readonly department: string
  /** Of the phase, relative to the workspace. */
  readonly folder: string
}

/** The member of the team that a member asks first: of the next level, or of the first one above it that has a member. */
export function superiorOf(place: Place, name: string, state: TeamState): string | undefined {
  const level = partyOf(place.organisation, place.department, state, name)?.role
  const found = level === undefined ? undefined : levelAbove(place, level, [name], state)
  return found?.member
}

/** An escalation that is not answered in time goes up: to the next level that has a member, then to the owner. */
export function escalationTimeouts(place: Place): EscalationTimeouts {
  const { organisation, department, folder } = place
  return {
    timeoutSeconds: organisation.escalation.timeoutSeconds,
    next(escalation, state, why): NextLevel | undefined {
      const silent = partyOf(organisation, department, state, escalation.to)?.role
      if (silent === undefined) return undefined
      const above = levelAbove(place, silent, [escalation.from, escalation.to], state)
      const to = above?.role ?? organisation.owner
      const content = passedOn(escalation, to, why)
      if (above) return { to: above.member, content: JSON.stringify(content) }
      const draft = { folder, kind: 'escalation', from: department, to, content, progress: [] }
      return { handOff: handOffDraft(draft), issue: String(content.issue) }
    },
  }
}

/** The next level above a role that has a member in the team; undefined where only the owner is left. */
export function levelAbove(
  { organisation, department }: Place,
  role: string,
  except: readonly string[],
  state: TeamState,
): { readonly role: string; readonly member: string } | undefined {
  const { escalation, owner } = organisation
  const keys = except.map(nameKey)
  const members = roster(state).filter(
    (member) => isPresent(member) && member.status !== 'lost' && !keys.includes(nameKey(member.name)),
  )
  for (let level = nextLevel(escalation, role); level !== undefined && level !== owner; ) {
    const wanted = level
    const found = members.find(({ name }) => partyOf(organisation, department, state, name)?.role === wanted)
    if (found) return { role: wanted, member: found.name }
    level = nextLevel(escalation, wanted)
  }
  return undefined
}

/** The same escalation for the next level, with what happened as further evidence. */
function passedOn({ content, from }: OpenEscalation, to: string, happened: string): HandOff['content'] {
  const fields = fieldsOf(content)
  const evidence = Array.isArray(fields.evidence) ? fields.evidence : []
  return {
    ...{ from, issue: content, recommendation: '', severity: 'major', ...fields },
    ...{ to, evidence: [...evidence, happened] },
  }
}

/** Plain text has no fields. */
function fieldsOf(content: string): HandOff['content'] {
  try {
    const value: unknown = JSON.parse(content)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as HandOff['content']) : {}
  } catch {
    return {}
  }
}
