import { beginning } from '../results/excerpt.ts'
import type { Job } from '../tool.ts'

/** What an agent is told, once, in its next user turn when a job of its own has ended. */
export function jobNotice({ id, about, state, summary = '' }: Job): string {
  return [
    '<task-notification>',
    `<task-id>${id}</task-id>`,
    `<status>${state}</status>`,
    `<about>${beginning(about, 200)}</about>`,
    `<summary>${beginning(summary, 500)}</summary>`,
    `Its output: TaskOutput {"task_id":"${id}"}`,
    '</task-notification>',
  ].join('\n')
}
