import type { SessionEvent } from '../../agent/session-event.ts'
import { counted } from '../../team/wording.ts'

/** Lost teammates, failed tasks and broken hooks of a run, as sentences for its user: each once, in order. */
export interface Failures {
  add(event: SessionEvent): void
  readonly list: readonly string[]
}

export function createFailures(): Failures {
  /** How often each sentence occurred. */
  const sentences = new Map<string, number>()
  const tasks = new Map<string, string>()

  function addTeamEvent({ team, event }: Extract<SessionEvent, { type: 'team' }>): void {
    switch (event.type) {
      case 'member.lost':
        return count(`${event.name} was lost: ${sentence(event.reason)}`)
      case 'task.failed': {
        const where = `See: deskmates task show ${event.id} --team ${team}`
        return void tasks.set(`${team}/${event.id}`, `Task ${event.id} failed: ${sentence(event.reason)} ${where}`)
      }
      case 'task.reopened':
      case 'task.completed':
      case 'task.deleted':
        return void tasks.delete(`${team}/${event.id}`)
    }
  }

  function count(text: string): void {
    sentences.set(text, (sentences.get(text) ?? 0) + 1)
  }

  return {
    add(event) {
      if (event.type === 'team') addTeamEvent(event)
      if (event.type === 'hook' && (event.outcome === 'failed' || event.outcome === 'late'))
        count(`The ${event.event} hook ${event.command} failed: ${sentence(event.why ?? event.outcome)}`)
    },
    get list() {
      const repeated = [...sentences].map(([text, times]) =>
        times === 1 ? text : `${text} (${counted(times, 'time', 'times')})`,
      )
      return [...repeated, ...tasks.values()]
    },
  }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
