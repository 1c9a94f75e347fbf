import type { TeamEvent } from '../../team/event.ts'
import { counted } from '../../team/wording.ts'
import { oneLine, plain } from '../output/format.ts'

/** An event in a few words that follow the name of its author. */
export function describeEvent(event: TeamEvent): string {
  switch (event.type) {
    case 'team.created':
      return `made team ${event.team}${event.description ? `: ${oneLine(event.description)}` : ''}`
    case 'team.deleted':
      return 'deleted the team'
    case 'team.led':
      return `leads team ${event.team} too`
    case 'team.ceded':
      return `no longer leads team ${event.team}`
    case 'team.restored':
      return `restored the team from ${plain(event.from)}, ${counted(event.lost.length, 'line')} lost`
    case 'supervisor.took':
      return `supervises the team (epoch ${event.epoch}${event.forced ? ', forced' : ''})`
    case 'supervisor.gone':
      return `the team has no supervisor now: ${oneLine(event.reason)}`
    case 'member.joined':
      return `${event.name} joined as ${event.role} (${event.kind}, generation ${event.generation})`
    case 'token.issued':
      return `${event.member} got a new token`
    case 'member.stopped':
      return `${event.name} stopped: ${oneLine(event.reason)}`
    case 'member.lost':
      return `${event.name} was lost: ${oneLine(event.reason)}`
    case 'member.parked':
      return `${event.name} is parked until the next run: ${oneLine(event.reason)}`
    case 'member.activity':
      return `${event.name} is ${event.status}`
    case 'task.created':
      return `added task ${event.id}: ${oneLine(event.subject)}${waits(event.blockedBy)}`
    case 'task.updated': {
      const { type: _, id, ...changes } = event
      return `changed ${Object.keys(changes).join(', ') || 'nothing'} of task ${id}`
    }
    case 'task.claimed':
      return `claimed task ${event.id}${event.lease === null ? '' : ` for ${event.lease} s`}`
    case 'task.renewed':
      return `renewed task ${event.id} for ${event.lease} s`
    case 'task.released':
      return `task ${event.id} is free again: ${oneLine(event.reason ?? event.end)}`
    case 'task.completed':
      return `completed task ${event.id}${event.result ? `: ${oneLine(event.result)}` : ''}`
    case 'task.failed':
      return `task ${event.id} failed: ${oneLine(event.reason)}`
    case 'task.baseline':
      return `task ${event.id} begins at ${event.head?.slice(0, 12) ?? 'no commit'}${event.dirty.length === 0 ? '' : `, with ${counted(event.dirty.length, 'file')} changed before: ${oneLine(event.dirty.join(', '))}`}`
    case 'task.reopened':
      return `reopened task ${event.id}`
    case 'task.deleted':
      return `deleted task ${event.id}`
    case 'request.opened':
      return `asked ${event.to} (${event.id}, ${event.kind}): ${oneLine(event.content)}`
    case 'request.answered':
      return `${event.approve ? 'approved' : 'rejected'} ${event.id}${event.feedback ? `: ${oneLine(event.feedback)}` : ''}`
    case 'request.closed':
      return `${event.id} ended as ${event.state}: ${oneLine(event.reason)}`
    case 'transcript.repaired':
      return `transcript of ${event.member} lost ${counted(event.lost.length, 'part')}; ${counted(event.returned.length, 'message is', 'messages are')} unread again`
    case 'mail.taken':
      return `took ${counted(event.ids.length, 'message')} of ${event.member}`
    case 'message.sent': {
      const { from, to, type, content } = event.message
      return `→ ${plain(to)}${type === 'message' ? '' : ` (${type}, from ${plain(from)})`}: ${oneLine(content)}`
    }
    case 'message.delivered':
      return `${counted(event.ids.length, 'message')} of ${event.member} read${event.turn === undefined ? '' : ` (turn ${plain(event.turn)} of its transcript)`}`
    case 'agent.health':
      return `health of ${event.name}: ${event.state}${event.previous ? ` (was ${event.previous})` : ''}`
    case 'breaker.changed':
      return `circuit breaker is ${event.breaker.state}: ${oneLine(event.reason)}`
    case 'plan.loaded':
      return `plan ${event.plan} (${event.title}) was loaded with ${counted(event.tasks, 'task')}`
    case 'plan.ended':
      return `plan ${event.plan} is ${event.summary.s}: ${event.summary.tc} of ${counted(event.summary.tt, 'task')} completed`
    case 'step.changed':
      return `step ${event.step} (${plain(event.name)}) ${event.status}${event.reason === null ? '' : `: ${oneLine(event.reason)}`}`
    case 'handoff.recorded':
      return `${plain(event.from)} → ${plain(event.to)}: ${plain(event.kind)} ${plain(event.status)}`
    case 'deviation.noted':
      return `${event.member} left ${event.task === null ? 'something' : `task ${event.task}`} undone: ${oneLine(event.text)}`
    case 'usage': {
      const { input, cacheRead, cacheWrite, output } = event.usage
      const price = event.cost === null ? 'price unknown' : `$${event.cost.toFixed(4)}`
      return `${event.member} used ${event.model}: ${input + cacheRead + cacheWrite} tokens in, ${output} out, ${price}`
    }
    case 'external.received': {
      const { from, to, content } = event.message
      return `${oneLine(from, 64)} → ${plain(to)} (external, unverified): ${oneLine(content)}`
    }
    case 'external.rejected':
      return `a line for ${plain(event.to)} was rejected: ${oneLine(event.reason)}`
    default:
      return event satisfies never
  }
}

function waits(blockedBy: readonly string[]): string {
  return blockedBy.length > 0 ? ` (waits for ${blockedBy.join(', ')})` : ''
}
