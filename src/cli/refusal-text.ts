import type { Refusal } from '../team/refusal.ts'
import { type RefusalHints, refusalTextWith } from '../team/refusal-text.ts'

/** A refusal as a person reads it: what was refused, and which command to run now. */
export function refusalForPerson(refusal: Refusal): string {
  return refusalTextWith(COMMANDS, refusal)
}

const COMMANDS: RefusalHints = {
  invalid: {
    lease: 'Write it like 10m.',
    failure_reason: ({ task }) => `Give it: deskmates task fail ${task} --as MEMBER --reason TEXT`,
    control_message: 'See: deskmates requests, deskmates answer',
    shutdown_of_lead: 'To delete the team: deskmates team delete TEAM',
    model: 'Name provider/model, or leave the model out.',
  },
  unknown_team: 'Create it with: deskmates team create TEAM',
  team_deleted: ({ team }) => `To start anew: deskmates team delete ${team}, then deskmates team create ${team}`,
  unknown_task: 'See: deskmates task list',
  unknown_request: 'See: deskmates requests',
  unknown_dependency: 'See: deskmates task list',
  has_dependents: { task: 'Delete it with --detach to let them continue without it.' },
  not_allowed: {
    not_member: 'Join first: deskmates team join NAME --role ROLE, then claim with --as NAME',
    lead_stays: 'To delete the team: deskmates team delete TEAM',
    not_agent: ({ member }) => `It leaves with: deskmates team leave ${member}`,
  },
  not_owner: ({ canForce }) => (canForce ? 'The lead or the user can release it with --force.' : undefined),
  wrong_state: {
    not_claimed: ({ task, by }) => `Claim it first: deskmates task claim ${task} --as ${by}`,
    plan_changed: ({ plan }) =>
      `Change its tasks on the board (deskmates task update ${plan}/T1 …), or delete its team (deskmates team delete TEAM) and load the new file.`,
    in_progress: ({ task }) => `Release it with: deskmates task release ${task} --force`,
  },
  member_stopped: {
    caller: ({ member, role }) => `Join again with: deskmates team join ${member} --role ${quotedRole(role)}`,
  },
  wrong_token: {
    missing: ({ member }) =>
      `Set DESKMATES_MEMBER_TOKEN to it, or issue a new one: deskmates team join ${member} --renew-token`,
    wrong: ({ member }) =>
      `Correct DESKMATES_MEMBER_TOKEN or unset it, or issue a new one: deskmates team join ${member} --renew-token`,
    unknown: 'Correct DESKMATES_MEMBER_TOKEN, or issue a new one: deskmates team join NAME --renew-token',
  },
  served: ({ member }) => `Read it without taking it: deskmates inbox ${member}`,
  supervised: ({ team }) =>
    `See it with: deskmates status ${team}, or watch it: deskmates log --follow --team ${team}. Or begin a session of your own: leave out -r, -c and --team.`,
  other_folder: 'Go there and repeat the command, or add --here: its agents then work in this folder from now on.',
}

/** A role as one word of a command line. */
export function quotedRole(role: string): string {
  return /^[\w.@%+=:,/-]+$/.test(role) ? role : `'${role.replaceAll("'", "'\\''")}'`
}
