import type { TeamControl } from '../team-membership.ts'
import type { Tool } from '../tool.ts'
import { broadcast } from './broadcast.ts'
import { listTeammates } from './list-teammates.ts'
import { readInbox } from './read-inbox.ts'
import { sendMessage } from './send-message.ts'
import { sendMessageSimple } from './send-message-simple.ts'
import { createSpawnTeammate } from './spawn-teammate.ts'
import { taskCreate } from './task-create.ts'
import { taskGet } from './task-get.ts'
import { taskList } from './task-list.ts'
import { taskUpdate } from './task-update.ts'
import { createTeamCreate } from './team-create.ts'
import { createTeamDelete } from './team-delete.ts'

/** What one can do at a seat in a team, in both spellings; who is offered which is the table's to say. */
export const seatedTools: readonly Tool[] = [
  taskCreate,
  taskUpdate,
  taskList,
  taskGet,
  sendMessage,
  sendMessageSimple,
  broadcast,
  readInbox,
  listTeammates,
]

/** What only whoever makes teams and teammates can do. */
export function officeTools(office: TeamControl): Tool[] {
  return [createSpawnTeammate(office), createTeamCreate(office), createTeamDelete(office)]
}
