import { z } from 'zod'
import { normalisePattern } from '../../team/board/reservation.ts'
import { fixedObject, listOf, oneOf, text, whole, yesOrNo } from './fixed-schema.ts'
import type { Handoff } from './handoff.ts'
import { artefactName } from './phase-file-name.ts'
import type { RoleFile } from './role-file.ts'

/** Names of roles, departments, workflows and gates. */
export const ORGANISATION_NAME = /^[a-z][a-z0-9_-]{0,31}$/

const named = (what: string, example: string) =>
  text(`Write the name of ${what}, like ${example}.`).regex(ORGANISATION_NAME, `Write the name of ${what}: ${example}.`)
const names = (what: string, example: string) => listOf(named(what, example), `Write a list of names: [${example}].`)

/** Inside of the workspace, by a relative path without `..`. */
function isInsidePath(path: string): boolean {
  return !/^[A-Za-z]:|\\/.test(path) && normalisePattern(path) !== undefined && !path.split('/').includes('..')
}
const INSIDE = 'Write a relative path with forward slashes and without "..", like src/api.'
const folder = text(INSIDE).refine(isInsidePath, INSIDE)
const artefacts = (meaning: string) => listOf(artefactName, `Write a list of files: ["*.plan.jsonl"], ${meaning}.`)

const CLEAN_TEAM = /^[A-Za-z0-9_{}-]+$/
const MAX_MINUTES = 7 * 24 * 60
const MAX_SECONDS = 24 * 60 * 60
const minutes = whole(1, MAX_MINUTES, 'Write a whole number of minutes, like 30.')
const seconds = whole(1, MAX_SECONDS, 'Write a whole number of seconds, like 60.')

const ARTEFACT_PREFIX = 'Write what stands before the names of its artefacts, like fe-, or "" for nothing.'

/** One team with its lead. */
export const Department = fixedObject({
  /** The agent that leads it, by the name under which others know it: `yolo-fe-lead`. */
  lead: named('the agent that leads this department', 'yolo-lead'),
  /** Put before a role, it gives the name of that agent in this department: `yolo-fe-` and `dev`. */
  prefix: text('Write what stands before a role in the names of its agents, like yolo-fe-.').regex(
    /^[a-z][a-z0-9_-]{0,30}-$/,
    'Write small letters, digits and hyphens that end with a hyphen, like yolo-fe-.',
  ),
  /** `fe` for the line `fe_active=true` of `org show`. */
  short: named('this department in one short word', 'fe'),
  /** Unless the planning configuration says otherwise. */
  active: yesOrNo('Write active: true, or false for a department that is off.'),
  /** Its members besides the lead, in the order in which one step registers them. */
  roles: names('a role of this department', 'architect'),
  /** Where this department writes, and no other one. */
  folders: listOf(folder, 'Write a list of folders: [src/api].'),
  /** What stands before the names of its artefacts: `fe-` for `fe-architecture.toon`. Without it, `short` and a hyphen. */
  artefacts: z
    .string({ error: ARTEFACT_PREFIX })
    .regex(/^(?:[a-z0-9][a-z0-9_-]{0,30}-)?$/, ARTEFACT_PREFIX)
    .optional(),
  timeoutMinutes: minutes.default(30),
  /** What the departments of later waves wait for. */
  gate: named('a gate below "gates"', 'handoff-ux-complete'),
})
export type Department = z.infer<typeof Department>

/** Which departments work at the same time, and which of them come first. */
export const Workflow = fixedObject({
  order: oneOf(['single', 'wave', 'sequential']),
  waves: listOf(
    names('a department', 'backend').min(1, 'Name at least one department in each wave: [backend].'),
    'Write a list of waves: [[uiux], [frontend, backend]].',
  ).min(1, 'Write at least one wave: [[backend]].'),
})
export type Workflow = z.infer<typeof Workflow>

/**
 * owner      speaks for the departments to the user; in no team
 * lead       leads the team of a department
 * member     a teammate, registered when its step begins
 * task-only  runs one-shot and is never a member
 */
export const ROLE_KINDS = ['owner', 'lead', 'member', 'task-only'] as const

/**
 * never         the gate is off
 * auto_commit   it is on while the runtime commits
 * always        it is on; agents of the role have to commit themselves where the runtime does not
 */
export const GATE_TIMES = ['never', 'auto_commit', 'always'] as const

export const Role = fixedObject({
  kind: oneOf(ROLE_KINDS),
  /** The step that registers it; a task-only role without one is started on demand. */
  step: whole(1, 99, 'Write the number of the step that registers it, like 2.').optional(),
  /** As many agents as there are ready tasks, at most `max`. Without it the role has one agent. */
  scaling: fixedObject({ max: whole(1, 100, 'Write the largest number of agents, like 5.') }).optional(),
  /** The artefacts that an agent of this role is given, in either mode. */
  reads: artefacts('the artefacts that this role is given').default([]),
  /** What an agent of this role has to have done before it idles with a task, and before it completes one. */
  gates: fixedObject({
    /** Its plans have summaries, or one is left and there is a recent commit. */
    idle: oneOf(GATE_TIMES).default('never'),
    /** There is a recent commit for the task. */
    completion: oneOf(GATE_TIMES).default('never'),
  }).default({ idle: 'never', completion: 'never' }),
})
export type Role = z.infer<typeof Role>

export const Step = fixedObject({
  step: whole(1, 99, 'Write the number of the step, from 1 on without a gap.'),
  name: named('the step', 'code_review'),
  roles: names('a role that does this step', 'senior').min(1, 'Name at least one role: [senior].'),
  /** Must be there before it begins, unless the step that makes them was skipped. */
  entry: artefacts('what must be there before the step').default([]),
  /** Must be there when it ends. */
  exit: artefacts('what the step leaves behind').default([]),
  skippable: yesOrNo('Write skippable: true, or false for a step that always runs.').default(false),
  /** With several plans in a wave one agent per plan does it, at the same time. */
  perPlan: yesOrNo('Write perPlan: true, or leave it out.').default(false),
  /** How often work goes back for changes, and which role decides after that. */
  cycles: fixedObject({
    max: whole(1, 20, 'Write how often work may go back, like 2.'),
    escalateTo: named('the role that decides after that', 'architect'),
  }).optional(),
  timeoutMinutes: minutes.optional(),
})
export type Step = z.infer<typeof Step>

/** What must be true before the next wave begins. */
export const Gate = fixedObject({
  /** Other names by which a person may call it. */
  aliases: names('the gate', 'ux-complete').default([]),
  /** Those that must be complete; `active` for all departments of the phase. */
  departments: z
    .union([z.literal('active'), names('a department', 'uiux')], {
      error: 'Write a list of departments: [uiux], or active for all departments of the phase.',
    })
    .default([]),
  /** Hand-offs that must be recorded, with the status each must have. */
  handoffs: listOf(
    fixedObject({
      type: text('Write the type of a hand-off of handoffs.yaml, like design_handoff.'),
      status: text('Write a value of its status field, like agreed.').optional(),
    }),
    'Write a list: [{ type: design_handoff }].',
  ).default([]),
  /** Files of the phase folder that must be there, valid and not empty. */
  artefacts: artefacts('what must be there').default([]),
  /** Every plan has a summary. */
  summaries: yesOrNo('Write summaries: true, or leave it out.').default(false),
  /** False: a later wave begins without it, and it is only reported. */
  blocking: yesOrNo('Write blocking: false for a gate that only reports.').default(true),
  /** It ends the last wave. */
  last: yesOrNo('Write last: true for the gate that ends the last wave.').default(false),
  timeoutMinutes: minutes.default(30),
})
export type Gate = z.infer<typeof Gate>

export const Escalation = fixedObject({
  /** After so long without an answer it goes to the next level by itself. */
  timeoutSeconds: seconds.default(300),
  /** Who asks whom; no level is skipped. */
  chain: names('a role, or user at the end', 'dev').min(2, 'Write at least two levels: [lead, user].'),
  /** Roles outside of the chain, each with the level it asks. */
  joins: z.record(z.string(), named('a level of the chain', 'lead')).default({}),
  /** Roles whose FAIL goes to the owner at once. */
  bypass: names('a role', 'security').default([]),
})
export type Escalation = z.infer<typeof Escalation>

export const Routing = fixedObject({
  /** What happens to a message that breaks the rules: it is refused, or delivered with a warning in the journal. */
  violations: oneOf(['reject', 'warn']).default('reject'),
  /** Who may write plain messages to whom. */
  talk: z.record(z.string(), names('a role', 'senior'), {
    error: 'Write a list of roles for each role: dev: [senior].',
  }),
})
export type Routing = z.infer<typeof Routing>

/** The keys of `organisation.yaml` that hold no named entries. */
export const General = z.object({
  version: z.literal(1, { error: 'Write version: 1.' }),
  name: named('the organisation', 'engineering'),
  /** Where plans and phases are: every role may write there. */
  planning: folder,
  team: fixedObject({
    name: text('Write how teams are called: yolo-{department}.')
      .regex(CLEAN_TEAM, 'Use letters, digits, _ and - around {department}: yolo-{department}.')
      .refine((name) => name.includes('{department}'), 'Put {department} into it, so that each team has its own name.'),
    description: text('Write what a team is for, with {Department}, {phase} and {phase_name}.'),
  }),
  /** The role that is in no team and decides between departments. */
  owner: named('a role of kind owner', 'owner'),
  /** The program does what the owner does, or a model. */
  ownerRuns: oneOf(['code', 'model']).default('code'),
  /** The runtime commits the files of a task when it is completed. */
  autoCommit: yesOrNo('Write autoCommit: true, or false to commit yourself.').default(false),
  health: fixedObject({
    /** An agent whose runtime gives no sign of life for so long has disappeared. */
    silenceSeconds: seconds.default(60),
  }).default({ silenceSeconds: 60 }),
  /** What is in the folder of a phase before its first step. */
  inputs: artefacts('what is there before the first step').default([]),
  workflow: named('a workflow below "workflows"', 'parallel'),
  /** Which concern wins when departments disagree, the stronger one first. */
  conflicts: listOf(text('Write one rule, like security over features.'), 'Write a list of rules.').default([]),
})
type General = z.infer<typeof General>

/** How agents are organised: read from `.deskmates/organisation/`. */
export interface Organisation extends General {
  /** The folder with its files. */
  readonly folder: string
  readonly departments: ReadonlyMap<string, Department>
  readonly workflows: ReadonlyMap<string, Workflow>
  readonly roles: ReadonlyMap<string, Role & RoleFile>
  /** In their order. */
  readonly steps: readonly Step[]
  readonly gates: ReadonlyMap<string, Gate>
  readonly escalation: Escalation
  readonly routing: Routing
  readonly handoffs: ReadonlyMap<string, Handoff>
}
