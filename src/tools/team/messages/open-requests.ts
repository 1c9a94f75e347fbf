import { REQUEST_KINDS, waitingRequestsText } from '../../../prompts/requests.ts'
import { nameKey } from '../../../team/name.ts'
import type { Request, RequestKind } from '../../../team/request.ts'
import type { TeamState } from '../../../team/state.ts'
import type { TeamMembership } from '../../team-membership.ts'
import type { ToolContext } from '../../tool.ts'
import { membershipOf, teamNames } from '../membership-of.ts'
import { NotDone } from '../not-done.ts'

/** The requests of one kind that wait for this member's answer, oldest first. */
export function openRequests(state: TeamState, kind: RequestKind, to: string): Request[] {
  return [...state.requests.values()].filter(
    (request) => request.state === 'pending' && request.kind === kind && nameKey(request.to) === nameKey(to),
  )
}

/** What a call says about the request it answers. */
interface RequestRef {
  readonly request_id?: string | undefined
  /** Whose request it is. */
  readonly recipient?: string | undefined
  readonly team_name?: string | undefined
}

/** Teams number their requests separately: an id that several teams of the agent have needs the team's name too. */
export async function membershipOfRequest(
  context: ToolContext,
  kind: RequestKind,
  meant: RequestRef,
): Promise<TeamMembership> {
  const { request_id: id, recipient, team_name } = meant
  const current = await membershipOf(context, team_name)
  if (team_name !== undefined) return current
  const isTheirs = ({ from }: Request) => recipient === undefined || nameKey(from) === nameKey(recipient)
  const knowing: TeamMembership[] = []
  for (const membership of context.memberships()) {
    await membership.refresh()
    const { state, name } = membership
    const known = id === undefined ? openRequests(state, kind, name) : [state.requests.get(id)]
    if (known.some((request) => request?.kind === kind && isTheirs(request))) knowing.push(membership)
  }
  if (knowing.length <= 1) return knowing[0] ?? current
  const teams = teamNames(context, knowing)
  throw new NotDone(`Which request do you answer? There is one in each of the teams ${teams}. Name its team_name.`)
}

/** The request an answer is meant for: the one it names, or the only open one. Never a guess. */
export function requestMeant(
  state: TeamState,
  kind: RequestKind,
  me: string,
  { request_id, recipient }: RequestRef,
): Request {
  const open = openRequests(state, kind, me)
  const there = waitingRequestsText(kind, open)
  if (request_id !== undefined) {
    const named = state.requests.get(request_id)
    if (!named) throw new NotDone(`There is no request ${request_id}. ${there}`)
    if (named.kind !== kind)
      throw new NotDone(
        `Request ${named.id} is about ${REQUEST_KINDS[named.kind]}, not about ${REQUEST_KINDS[kind]}. ${there}`,
      )
    const isOther = kind === 'plan_approval' && recipient !== undefined && nameKey(recipient) !== nameKey(named.from)
    if (isOther) throw new NotDone(`Request ${named.id} is from ${named.from}, not from ${recipient}. ${there}`)
    return named
  }
  const theirs = open.filter(({ from }) => recipient !== undefined && nameKey(from) === nameKey(recipient))
  const meant = theirs.length === 1 ? theirs : open
  if (meant.length === 1) return meant[0]!
  throw new NotDone(open.length === 0 ? there : `Which request do you answer? Name its request_id. ${there}`)
}
