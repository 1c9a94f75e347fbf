import type { TeamEvent } from '../../team/event.ts'
import type { MemberStatus } from '../../team/members/member.ts'

/** Events of a played team. */

export const created: TeamEvent = { type: 'team.created', team: 's1', description: '' }

export function joined(name: string, role = 'dev', status: MemberStatus = 'working'): TeamEvent {
  return {
    ...{ type: 'member.joined', name, role, kind: 'agent', generation: 1, status },
    ...{ runtime: 'r', epoch: 1, prompt: null },
  }
}

export function task(id: string, subject: string, blockedBy: string[] = []): TeamEvent {
  return {
    ...{ type: 'task.created', id, subject, description: '', activeForm: '', role: null, assignee: null },
    ...{ priority: 5, blockedBy, files: [] },
  }
}

export function claimed(id: string, owner: string): TeamEvent {
  return { type: 'task.claimed', id, owner, generation: 1, lease: null }
}

export function failed(id: string, reason: string): TeamEvent {
  return { type: 'task.failed', id, reason }
}

export function mail(id: string, from: string, to: string, content: string): TeamEvent {
  return { type: 'message.sent', message: { id, type: 'message', from, to, content, timestamp: 1 } }
}

export function stopped(name: string): TeamEvent {
  return { type: 'member.stopped', name, generation: 1, reason: 'asked' }
}
