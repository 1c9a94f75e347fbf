import type { Input, Notices } from '../agent/agent.ts'
import { nextMailInput } from '../agent/next-input.ts'
import { openAgent, type ReportingAgent } from '../agent/open-agent.ts'
import type { SessionContext } from '../agent/session-context.ts'
import { createRunAgent } from '../agent/subagent.ts'
import type { Transcript } from '../agent/transcript/transcript.ts'
import type { TeamHandle } from '../journal/team-handle.ts'
import { leadPrompt } from '../prompts/system-prompt.ts'
import type { Author } from '../team/event.ts'
import { nameKey } from '../team/name.ts'
import { roster, type Unread, unreadOf } from '../team/state.ts'
import { toolsForLead } from '../tools/registry.ts'
import type { TeamControl } from '../tools/team-control.ts'
import type { Memberships } from '../tools/team-membership.ts'

/** A team the lead sits in, and who it is there. */
export interface LedTeam {
  readonly team: TeamHandle
  readonly by: Author
}

/** The lead's desk: one conversation, into which the mail of every team it leads comes. */
export async function openLead(
  home: SessionContext,
  office: TeamControl & Memberships,
  led: () => readonly LedTeam[],
  isRunFinished: () => boolean,
): Promise<ReportingAgent> {
  const [{ team, by }] = led() as [LedTeam]
  const permits = home.permits(false, false, home.permissionRequests.of(team, by))
  const door = atMostEvery(LOOK_AT_DOOR, async () => {
    for (const { team } of led()) await team.ingest()
  })
  return openAgent({
    context: home,
    team,
    by,
    log: await home.store.log(`${team.name}/transcripts/lead`),
    model: home.model,
    system: leadPrompt({ team: team.name, root: home.root, folders: home.folders, append: home.appendSystemPrompt }),
    permissions: permits,
    check: permits.check,
    limits: home.limits,
    used: () => home.run.used,
    memberships: () => office,
    // What the lead says lets others begin.
    urgency: () => Number.POSITIVE_INFINITY,
    tools: ({ reports: accounts }) => {
      const askerOf = (agent: string) => home.permissionRequests.ofSubagent(team, by, agent)
      // Those who answer messages come first: what they say may be for a subagent.
      const isFinished = () => isRunFinished() && !led().some(({ team }) => isAnyoneWorking(team))
      const runSubagent = createRunAgent({ ...home, name: by.name, account: accounts.addUsage, askerOf, isFinished })
      return [...toolsForLead({ ...home, runSubagent, teamControl: office }), ...home.tools]
    },
    async nextInput({ transcript, notices }, portion) {
      await door()
      // Where a turn is due anyway all that is new comes with it.
      const isAtRest = (transcript.state.turns.at(-1)?.role ?? 'assistant') === 'assistant' && notices.waiting === 0
      if (isAtRest && !(await hasMailToHear(led(), transcript))) return undefined
      const all: Input[] = []
      // Half of it is for its own team, the other half for all others together.
      let left = portion.tokens
      const share = Math.floor(left / 2 / Math.max(1, led().length - 1))
      // Its own team last, whose news take the notices along: nothing may fail behind that and lose them.
      for (const [i, { team, by }] of [...led().entries()].reverse()) {
        const from = i === 0 ? undefined : team.name
        const tokens = i === 0 ? left : share
        const told = { team, transcript, notices: i === 0 ? notices : NONE, portion: { ...portion, tokens } }
        const news = await nextMailInput(told, by, from)
        if (!news) continue
        left -= tokens - Math.max(0, news.left)
        all.unshift(news)
      }
      return joined(all)
    },
    async acknowledge(ids, turn) {
      for (const { team, by } of led()) {
        const own = ids.filter((id) => team.state.mailboxes.get(nameKey(by.name))?.has(id))
        if (own.length > 0) await team.acknowledge(by.name, own, null, { by, turn })
      }
    },
  })
}

function isAnyoneWorking({ state }: TeamHandle): boolean {
  return roster(state).some(({ name, kind, status }) => kind === 'agent' && status === 'working' && name !== 'lead')
}

/** That a teammate rests never causes a turn; it is told with what does. */
export function wakesLead({ message, external }: Unread): boolean {
  return external || message.type !== 'idle_notification'
}

/** False where all that is new is who rests. What the transcript holds already is left to be acknowledged. */
async function hasMailToHear(led: readonly LedTeam[], { state }: Transcript): Promise<boolean> {
  for (const { team, by } of led) {
    await team.refresh()
    if (unreadOf(team.state, by.name).some((one) => wakesLead(one) || state.mail.has(one.message.id))) return true
  }
  return false
}

const NONE: Notices = { add() {}, take: () => [], waiting: 0 }

/** News of several teams are one turn. */
function joined(all: readonly Input[]): Input | undefined {
  if (all.length < 2) return all[0]
  return {
    turn: { role: 'user', content: all.flatMap(({ turn }) => turn.content) },
    mail: all.flatMap(({ mail }) => mail),
    jobs: all.flatMap(({ jobs }) => jobs),
    files: all.flatMap(({ files = [] }) => files),
    async waitUntilDurable() {
      for (const { waitUntilDurable: isTrue } of all) await isTrue()
    },
    async acknowledge() {
      for (const { acknowledge } of all) await acknowledge()
    },
  }
}

/** Milliseconds: a model takes longer to answer, so before each call of one somebody has looked. */
const LOOK_AT_DOOR = 100

function atMostEvery(milliseconds: number, work: () => Promise<void>): () => Promise<void> {
  let last = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - last < milliseconds) return
    await work()
    last = performance.now()
  }
}
