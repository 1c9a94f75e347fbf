import type { Ask } from '../../agent/questions.ts'
import type { PermissionRequests } from '../../agent/session-context.ts'
import { createIds } from '../../journal/ids.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import type { PermissionQuestion } from '../../permissions/permission.ts'
import { allowOption, type Person } from '../../permissions/permissions.ts'
import { deniedTeammateText } from '../../prompts/requests.ts'
import type { Author } from '../../team/event.ts'
import { nameKey } from '../../team/name.ts'
import { actionText, askPerson } from './ask-person.ts'

export function createPermissionRequests(ask: Ask | undefined, clock: { now(): number }): PermissionRequests {
  const newId = createIds()
  /** Denials that were reported to the lead: each once. */
  const reported = new Set<string>()

  async function reportToLead(team: TeamHandle, by: Author, { action, why, rules }: PermissionQuestion): Promise<void> {
    const key = `${team.name}/${nameKey(by.name)}/${rules.join()}`
    if (reported.has(key)) return
    reported.add(key)
    const rule = rules.length > 0 ? allowOption(rules) : undefined
    const content = deniedTeammateText(by.name, actionText(action), why, rule)
    const message = { id: newId(), type: 'error', from: by.name, to: 'lead', content, timestamp: clock.now() } as const
    await team.report([{ type: 'message.sent', message }], { by, until: 'written' })
  }

  function asking(team: TeamHandle, by: Author, agent: string): Person {
    if (!ask) return {}
    return { ask: (wanted, signal) => askPerson({ team, by, ask }, { agent, team: team.name, ...wanted }, signal) }
  }

  return {
    canAsk: ask !== undefined,
    of(team, by) {
      if (ask || nameKey(by.name) === 'lead') return asking(team, by, by.name)
      return { onDenied: (wanted) => reportToLead(team, by, wanted) }
    },
    ofSubagent: asking,
  }
}
