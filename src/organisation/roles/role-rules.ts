import { roleKey } from '../../team/members/role.ts'
import { type Refusal, refuse } from '../../team/refusal.ts'
import type { TeamState } from '../../team/state.ts'
import { namesFor } from '../../tools/registry.ts'
import type { RoleRules } from '../../tools/role-rules.ts'
import { type AgentType, ALL_SERVER_TOOLS } from '../../tools/subagents/agent-type.ts'
import type { Organisation, Role } from '../definition/organisation.ts'
import type { RoleFile } from '../definition/role-file.ts'

export interface RoleRulesOptions {
  readonly organisation: Organisation
  readonly department: string
  /** Of the phase, relative to the workspace: its steps say which roles have joined. */
  readonly folder: string
}

/** The roles of one department: only its members join its team, each when its step begins, and no task-only role ever. */
export function createRoleRules({ organisation, department, folder }: RoleRulesOptions): RoleRules {
  const { roles, departments } = organisation
  const { prefix, roles: members } = departments.get(department)!
  /** `dev`, also where it is called `yolo-fe-dev` in its department. */
  const nameOf = (text: string): string => {
    const key = roleKey(text)
    return !roles.has(key) && key.startsWith(prefix) ? key.slice(prefix.length) : key
  }
  return {
    lead: [...roles]
      .map(([name, role]) => ({ role, type: typeOf(name, role) }))
      .find(({ role }) => role.kind === 'lead')?.type,
    oneShots: [...roles].flatMap(([name, role]) => (role.kind === 'task-only' ? [typeOf(name, role)] : [])),
    typeOf(text) {
      const name = nameOf(text)
      const role = roles.get(name)
      return role && typeOf(name, role)
    },
    whyNotMember(text, state): Refusal | undefined {
      const name = nameOf(text)
      const role = roles.get(name)
      if (role?.kind === 'task-only') return refuse('not_allowed', { problem: 'task_only_role', role: name })
      if (role?.kind !== 'member' || !members.includes(name))
        return refuse('not_allowed', { problem: 'role_elsewhere', role: text, department, roles: [...members] })
      const { step } = role
      if (step === undefined || begun(state, folder) >= step) return undefined
      return refuse('not_allowed', { problem: 'role_not_due', role: name, step })
    },
  }
}

function typeOf(name: string, { description, prompt, tools, model }: Role & RoleFile): AgentType {
  return {
    name,
    description,
    prompt,
    tools: tools ?? [...namesFor('code'), ALL_SERVER_TOOLS],
    isReadOnly: false,
    model,
  }
}

/** The number of the last step of the phase that was begun; skipped ones were not. */
function begun({ steps }: TeamState, folder: string): number {
  let last = 0
  for (const { folder: where, step, status } of steps.values())
    if (where === folder && status !== 'skipped') last = Math.max(last, step)
  return last
}
