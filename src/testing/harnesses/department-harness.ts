import type { Organisation } from '../../organisation/definition/organisation.ts'
import { createMessageRouting } from '../../organisation/routing/message-routing.ts'
import { unreadOf } from '../../team/state.ts'
import type { Spelling } from '../../tools/own-tool.ts'
import { engineering } from './organisation-harness.ts'
import { memoryTeamControl, teamToolsOf } from './team-tool-harness.ts'

const PROMPT = 'Begin.'

/** The team of a department in memory, with one member of each of its roles, under the routing of its organisation. */
export async function departmentHarness(organisation: Organisation = engineering(), department = 'backend') {
  const routing = createMessageRouting({ organisation, department, folder: 'phases/03-api' })
  const control = await memoryTeamControl('web', routing)
  const spawn = (name: string, role: string) => control.spawn({ name, role, prompt: PROMPT })
  for (const role of organisation.departments.get(department)!.roles) await spawn(role === 'dev' ? 'dev-1' : role, role)
  const mail = (name: string) =>
    unreadOf(control.team().state, name).flatMap(({ message }) => (message.content === PROMPT ? [] : [message]))
  return {
    routing,
    spawn,
    get state() {
      return control.team().state
    },
    /** The tools of one member, called as its model would. */
    as: (name: string, spelling: Spelling = 'team') => teamToolsOf(control, name, spelling),
    mail,
    /** How many messages it did not read, without its prompt. */
    unread: (name: string) => mail(name).length,
  }
}
