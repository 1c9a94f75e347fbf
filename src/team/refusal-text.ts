import { waitsForWords } from './answers/view.ts'
import { cycleInWords } from './board/dependencies.ts'
import { roleRule } from './members/role.ts'
import { messageTypes } from './message.ts'
import { isName, nameRule } from './name.ts'
import type { LeadOperation, LimitedText, Refusal, RefusalCode, RefusalDetails } from './refusal.ts'
import { aOrAn } from './wording.ts'

/** What was refused and why, for every reader. The next step depends on the reader: see `refusalTextWith`. */
export function refusalText(refusal: Refusal): string {
  const text = lookUp(TEXTS, refusal) ?? refusal.code
  const { spawn } = refusal
  return spawn ? `${spawn.member} was not spawned, because it cannot begin with task ${spawn.task}: ${text}` : text
}

/** Next steps for one kind of reader. A refusal without an entry needs none. */
export type RefusalHints = { readonly [Code in RefusalCode]?: Hints<RefusalDetails[Code]> }

/** The text of a refusal with the next step that this reader can take. */
export function refusalTextWith(hints: RefusalHints, refusal: Refusal): string {
  const hint = lookUp(hints, refusal)
  return hint ? `${refusalText(refusal)} ${hint}` : refusalText(refusal)
}

export function membersText(members: readonly string[]): string {
  return `Members: ${members.join(', ')}.`
}

type Text<Details> = string | ((details: Details) => string | undefined)
type Of<Details, Problem> = Extract<Details, { readonly problem: Problem }>
type Texts<Details> = [Details] extends [{ readonly problem: infer Problem extends string }]
  ? { readonly [Each in Problem]: Text<Of<Details, Each>> }
  : Text<Details>
type Hints<Details> = Texts<Details> extends Text<Details> ? Texts<Details> : Partial<Texts<Details>>

function lookUp(texts: RefusalHints, { code, details }: Refusal): string | undefined {
  const found = texts[code] as Text<object> | Record<string, Text<object>> | undefined
  const text = typeof found === 'object' ? found[(details as { problem: string }).problem] : found
  return typeof text === 'function' ? text(details) : text
}

const IS_RESERVED = 'is a reserved name (lead, user, all); choose another.'

const LEAD_ONLY: { readonly [Operation in LeadOperation]: string } = {
  create_team: 'creates further teams',
  delete_team: 'deletes a team',
  supervise: 'runs a team',
  spawn: 'spawns teammates',
  issue_token: 'issues tokens of members',
  repair_transcript: 'repairs a transcript',
  request_shutdown: 'asks others to stop',
  reopen: 'reopens a task',
  assign: 'assigns tasks to others',
  change_dependencies: 'changes what a task waits for',
  force_release: 'releases the claim of another member',
  load_plan: 'loads a plan',
  change_step: 'changes a step of the workflow',
  record_handoff: 'hands work over to another department',
}

const TOO_LARGE: { readonly [Text in LimitedText]: string } = {
  subject: 'A subject has at most 500 characters; put the rest into the description.',
  description: 'A description has at most a million characters; put the rest into a file and name it.',
  reason: 'A reason has at most 1 MB. Put the rest into a file and name it.',
  message: 'A message has at most 1 MB. Put the rest into a file and send its path.',
  prompt: 'A prompt has at most 1 MB. Put the rest into a file and name it.',
  request: 'A request has at most 1 MB. Put the rest into a file and name it.',
  feedback: 'Feedback has at most 1 MB. Put the rest into a file and name it.',
  command: 'That is too much for one command. Split it, or put long texts into files and name them.',
}

const NEEDS_PENDING = {
  claim: 'Only a pending task can be claimed.',
  assign: 'Only a pending task can be assigned.',
  change_dependencies: 'Its dependencies can change only while it is pending.',
}

const TEXTS: { readonly [Code in RefusalCode]: Texts<RefusalDetails[Code]> } = {
  invalid: {
    name: ({ name }) => nameRule(name),
    reserved_name: ({ name }) => `${name} ${IS_RESERVED}`,
    role: ({ role }) => roleRule(role),
    model: ({ model }) => `${model} is a script or a recording, which agents cannot choose.`,
    command_id: ({ id }) => `${quoted(id)} is not a command id. Use 1 to 128 of A-Z a-z 0-9 . _ : -`,
    lease: 'A lease is a positive number of seconds.',
    deadline: 'A deadline is a positive number of seconds.',
    failure_reason: ({ task }) => `Task ${task} cannot fail without a reason.`,
    no_tasks: 'There is no task to add.',
    plan_task_id: ({ id }) =>
      `${quoted(id)} is not the id of a plan's task (like 03-01/T3); other ids are given by the board.`,
    task_exists: ({ task }) => `Task ${task} already exists.`,
    draft: ({ subject, field, issue }) => `The task ${quoted(subject)} is not valid: ${field}: ${issue}.`,
    changes: ({ task, field, issue }) => `Task ${task} cannot be changed like that: ${field}: ${issue}.`,
    status: ({ status }) =>
      `${quoted(status)} is not a status. Use pending, in_progress, completed, failed or deleted.`,
    empty_subject: 'A task needs a subject.',
    multiline_subject: 'A subject is one line; put the rest into the description.',
    path: ({ path }) =>
      `${quoted(path)} is not a path inside the workspace. Give paths relative to its root, like src/api/.`,
    message_type: ({ type }) => `${quoted(type)} is not a message type. Use one of: ${messageTypes().join(', ')}.`,
    control_message: ({ type }) => `${aOrAn(type)} goes through a request, so that it has exactly one answer.`,
    derived_message: ({ type }) => derivedText(type),
    broadcast_to_all: 'A message to all members is a broadcast, not a message.',
    empty_message: 'There is nothing to send.',
    own_message: ({ member }) => `${member} cannot write to itself.`,
    own_request: ({ member }) => `${member} cannot send a request to itself.`,
    shutdown_of_lead: 'The lead and the user are not asked to stop.',
    request_recipient: ({ kind, to }) => `A ${kind} request goes to the lead or the user, not to ${to}.`,
    answer: ({ issue }) => `The answer is not valid: ${issue}.`,
  },
  unknown_team: ({ team }) => (team === undefined ? 'There is no such team.' : `Team '${team}' not found.`),
  team_deleted: ({ team }) => `Team ${team} was deleted and not archived yet.`,
  unknown_member: ({ name, members }) =>
    `${isName(name) ? `No member of this team is called ${name}.` : nameRule(name)} ${membersText(members)}`,
  unknown_task: ({ task }) => `There is no task ${quoted(task)}.`,
  unknown_request: ({ request }) => `There is no request ${quoted(request)}.`,
  unknown_dependency: ({ subject, dependency }) =>
    `${quoted(subject)} cannot wait for ${quoted(dependency)}: there is no such task or plan.`,
  dependency_cycle: ({ cycle }) =>
    `That would close a cycle: ${cycleInWords(cycle)} (each waits for the next). Leave one of these edges out.`,
  has_dependents: {
    task: ({ task, dependents }) => `Other tasks wait for task ${task}: ${dependents.join(', ')}.`,
    last_of_plan: ({ task, plan, dependents }) =>
      `Task ${task} is the last of plan ${plan}, which ${dependents.join(', ')} wait for. Remove ${plan} from their blockedBy first.`,
  },
  not_allowed: {
    lead_only: ({ operation, by }) => `Only the lead or the user ${LEAD_ONLY[operation]}, not ${by}.`,
    lead_only_fields: ({ fields, by }) =>
      `Only the lead or the user changes ${fields.join(', ')} of a task, not ${by}.`,
    no_member: 'You act as no member of the team yet.',
    not_member: ({ by }) => `${by} is not a member of this team and cannot hold tasks.`,
    foreign_task: ({ task, operation, by }) => `Task ${task} is not ${by}'s to ${operation}.`,
    foreign_mail: ({ member, by }) => `Only ${member}, the lead or the user takes the mail of ${member}, not ${by}.`,
    runtime_message: ({ type }) => `${aOrAn(type)} comes from the runtime of an agent. Send a plain message instead.`,
    is_agent: ({ member }) => `${member} is an agent of this team; choose another name.`,
    agent_token: ({ member }) => `${member} is an agent: its runtime acts for it, and it has no token.`,
    not_agent: ({ member }) => `${member} is not an agent and cannot be lost or parked.`,
    join_for_other: ({ member, by }) => `${by} cannot join for ${member}.`,
    stop_other: ({ member, by }) => `Only ${member}, the lead or the user stops ${member}, not ${by}.`,
    lead_stays: 'The lead cannot leave its team.',
    not_supervisor: 'Only the supervisor of a team declares a member lost or parked.',
    foreign_request: ({ request, from, by }) => `Request ${request} was sent by ${from}; ${by} cannot withdraw it.`,
    other_recipient: ({ request, to, by }) => `Request ${request} was sent to ${to}; ${by} cannot answer it.`,
    permission_elsewhere: ({ request }) =>
      `A permission is given only where the team runs, and that is not here. Reject ${request}, or allow it in your settings.`,
    own_team: 'A session cannot delete its own team.',
    task_only_role: ({ role }) => `${aOrAn(role)} runs one-shot and never joins a team.`,
    role_elsewhere: ({ role, department, roles }) =>
      `The role ${quoted(role)} has no place in the department ${department}. Its roles: ${roles.join(', ')}.`,
    role_not_due: ({ role, step }) =>
      `${aOrAn(role)} joins the team when step ${step} begins, which it has not yet. Wait: the runtime starts it then.`,
  },
  not_owner: ({ task, owner, by }) => `Task ${task} is owned by ${owner}, not ${by}.`,
  not_routed: {
    unknown_role: ({ by, role, roles }) =>
      `${by} has the role ${quoted(role)}, which has no place in this department. Its roles: ${roles.join(', ')}.`,
    type: ({ type, by, role, sends }) =>
      `${by} (${role}) does not send ${type}. It sends ${sends.length === 0 ? 'no hand-offs' : sends.join('; ')}.`,
    recipient: ({ type, role, to, toRole, isOtherDepartment, roles, allowed }) => {
      const given = toRole === null || toRole === to ? to : `${to} (${toRole})`
      const where = isOtherDepartment ? ', which is in another department' : ''
      if (roles.length === 0) return `${aOrAn(role)} sends no ${type}, so not to ${given}${where} either.`
      const names = allowed.length === 0 ? `none of them is in this team now` : allowed.join(', ')
      if (toRole === null && roles.includes(to))
        return `${to} is a role, not a member: name the member that has it. Allowed recipients: ${names}.`
      return `${aOrAn(role)} sends ${type} to ${roles.join(' or ')} only, not to ${given}${where}. Allowed recipients: ${names}.`
    },
    content: ({ type, issues, fields }) =>
      `The content is not a valid ${type}: ${issues.join('; ')}. Write a JSON object with the fields ${fields.join(', ')}.`,
    derived: ({ type }) => derivedText(type),
  },
  wrong_state: {
    claimed: ({ task, owner }) => `Task ${task} is already claimed by ${owner}.`,
    not_claimed: ({ task }) => `Task ${task} is not claimed.`,
    not_pending: ({ task, status, operation }) => `Task ${task} is ${status}. ${NEEDS_PENDING[operation]}`,
    not_in_progress: ({ task, status, lastAttempt }) => {
      const past = lastAttempt ? ` The last attempt, by ${lastAttempt.owner}, ended: ${lastAttempt.end}.` : ''
      return `Task ${task} is ${status}, not in progress.${past}`
    },
    in_progress: ({ task, owner, operation }) =>
      `${owner} is working on task ${task}; it must be released before you ${operation} it.`,
    plan_changed: ({ plan }) => `Plan ${plan} is loaded already, from a file with other content.`,
    step: ({ step, wanted, current }) => `Step ${step} is ${current ?? 'not started'} and cannot become ${wanted} now.`,
    handoff: ({ kind, subject, wanted, current }) =>
      `The ${kind} of ${subject} is ${current ?? 'not proposed yet'} and cannot become ${wanted} now.`,
    member_stopping: ({ member }) => `${member} is stopping and takes no new work.`,
    request_open: ({ request }) => `Request ${request} for the same is still open. Wait for its answer.`,
    request_answered: ({ request, state }) =>
      `Request ${request} was already ${state.replace('_', ' ')}. One answer counts.`,
    plans_rejected: ({ count }) =>
      `${count} plans for this were rejected. Say what you need instead, or set the task to failed with the reason.`,
    member_keeps_failing: ({ member }) =>
      `${member} keeps failing, so it is not brought back before two minutes have passed.`,
    breaker_open: 'Teammates keep failing, so none is spawned for now (the circuit breaker is open for two minutes).',
    team_taken: ({ team }) => `There is a team ${team} already, which another session leads. Choose another name.`,
    journal_missing: ({ team, session }) =>
      `The session ${session} leads the team ${team}, whose journal is missing or cannot be read from its first line.`,
  },
  not_ready: ({ task, ...dependencies }) => `Task ${task} waits for ${waitsForWords(dependencies)}.`,
  role_mismatch: ({ task, role, member, memberRole }) =>
    `Task ${task} is for the role ${role}; ${member} is ${memberRole}.`,
  assigned_to_other: ({ task, assignee }) => `Task ${task} is assigned to ${assignee}.`,
  files_overlap: ({ task, path, claimed }) =>
    `Task ${task} needs ${path}, which overlaps ${claimed.path} of task ${claimed.task}, claimed by ${claimed.owner}.`,
  holds_another: ({ member, task }) => `${member} must finish task ${task} first: complete, fail or release it.`,
  plan_gate: ({ gate }) => `The plan for this task is not approved: plan status is ${gate}.`,
  member_busy: {
    name_taken: ({ member, kind }) => `${member} is in this team already (${kind}); choose another name.`,
    holds_task: ({ member, task }) => `${member} is working on task ${task}. Complete or release it first.`,
    active: ({ member, status }) => `${member} is ${status}. Wait until it is idle, or stop it first.`,
  },
  member_stopped: {
    caller: ({ member }) => `${member} has left the team.`,
    recipient: ({ member, members }) => `${member} has stopped and reads no mail. ${membersText(members)}`,
  },
  fenced: {
    replaced: ({ member, generation, current }) =>
      `Generation ${generation} of ${member} was replaced (now ${current.generation}, ${current.status}); it may not act any more.`,
    no_generation: ({ member }) => `${member} is an agent and acts through its runtime, which names its generation.`,
  },
  wrong_token: {
    missing: ({ member }) => `To act as ${member} its token is needed, and it was not found.`,
    wrong: ({ member }) => `The token is not that of ${member}, or a newer one was issued since.`,
    unknown: 'The token is not one of a member that may act here, or a newer one was issued since.',
  },
  stale: ({ request, reason }) => `Request ${request} is void: ${reason}.`,
  served: ({ member, runtime }) => `${member} is run by ${runtime}, which reads its mail.`,
  supervised: ({ team, isUnknown }) =>
    `Another process works on ${team} right now${isUnknown ? ' (on another machine or in another container: it cannot be checked from here)' : ''}.`,
  other_folder: ({ session, folder, here, isOtherMachine }) =>
    `Session ${session} belongs to the folder ${folder}${isOtherMachine ? ' on another machine' : ''}; here is ${here}.`,
  too_large: ({ text }) => TOO_LARGE[text],
  command_id_taken: ({ id, usedFor }) => `The command id ${id} was used for ${usedFor}. Choose another.`,
}

function derivedText(type: string): string {
  return `${type} is derived from the journal and is not sent: claims, completions and health are known to the lead already.`
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
