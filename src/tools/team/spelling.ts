/**
 * Two ways to name the same operations; one of them is offered at a time.
 *
 * team     SendMessage, TeamCreate, TeamDelete, Task with a name
 * simple   send_message, broadcast, read_inbox, spawn_teammate, list_teammates
 */
export const SPELLINGS = ['team', 'simple'] as const
export type Spelling = (typeof SPELLINGS)[number]
