import type { TeamControl } from '../team-membership.ts'
import type { Tool } from '../tool.ts'
import { taskCreate } from './board/task-create.ts'
import { taskGet } from './board/task-get.ts'
import { taskList } from './board/task-list.ts'
import { taskUpdate } from './board/task-update.ts'
import { broadcast } from './broadcast.ts'
import { listTeammates } from './members/list-teammates.ts'
import { createTeamCreate } from './members/team-create.ts'
import { createTeamDelete } from './members/team-delete.ts'
import { readInbox } from './messages/read-inbox.ts'
import { sendMessage } from './messages/send-message.ts'
import { sendMessageSimple } from './send-message-simple.ts'
import { createSpawnTeammate } from './spawn-teammate.ts'

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
