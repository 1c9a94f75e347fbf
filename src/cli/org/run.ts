import { realpathSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Organisation, Step } from '../../organisation/definition/organisation.ts'
import { organisationOf } from '../../organisation/departments/department-organisation.ts'
import { spawnPlan, teamOf } from '../../organisation/departments/spawn-plan.ts'
import { gatesOf } from '../../organisation/guards/role-gates.ts'
import { writeGuard } from '../../organisation/guards/write-guard.ts'
import { type PhaseState, signOffIn } from '../../organisation/phases/phase-state.ts'
import { createRoleRules } from '../../organisation/roles/role-rules.ts'
import { createMessageRouting } from '../../organisation/routing/message-routing.ts'
import { isTrusted } from '../../permissions/trust/folder-trust.ts'
import { resolveCommits } from '../../plan/auto-commit.ts'
import { PLAN_CONFIG_FILE, type PlanConfig } from '../../plan/plan-config.ts'
import { type ResolvedMode, resolveTeamMode } from '../../plan/team-mode.ts'
import { fallbackText } from '../../prompts/reports.ts'
import { chooseModel } from '../../session/choose-model.ts'
import { openSession } from '../../session/open-session.ts'
import { PLAN_FILES, plansIn } from '../../session/organisation/department-plans.ts'
import { modelOwner } from '../../session/organisation/model-owner.ts'
import { ownerTeam, type Phase, phaseName, readPhase } from '../../session/organisation/phase.ts'
import { executionStateOf } from '../../session/organisation/phase-views.ts'
import { recordHandOff } from '../../session/organisation/record-hand-off.ts'
import { type OrganisationEvent, runOrganisation } from '../../session/organisation/run-organisation.ts'
import { settingsOptions } from '../../session/session-options.ts'
import { isRefusal } from '../../team/refusal.ts'
import { refusalText } from '../../team/refusal-text.ts'
import { shellWord } from '../../team/wording.ts'
import { logText } from '../output/format.ts'
import { print, printJson, printMessage, printStderr, warn } from '../output/print.ts'
import { configNamed } from '../plan/config.ts'
import { personAdvice } from '../plan/open-tasks-advice.ts'
import { validOrganisation } from '../plan/organisation.ts'
import { phaseNamed } from '../plan/phase.ts'
import { phasePicture } from '../plan/phase-picture.ts'
import { problemsFound } from '../plan/read.ts'
import type { Call } from '../program/context.ts'
import { EXIT, Misused, Refused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { agentsOption } from '../run/agents-option.ts'
import { defineRunOptions, type RunOptions, settingsOf } from '../run/options.ts'
import { openStore } from '../workspace/open-store.ts'
import { readServers } from '../workspace/read-servers.ts'
import { readSettings } from '../workspace/read-settings.ts'

interface Options extends RunOptions {
  config?: string
  skip?: ReadonlySet<number>
}

/** Runs the departments of a phase in waves. Run again, it continues where it stopped. */
export const orgRun: SubCommand<Options, [phaseDir: string]> = {
  example: `$ deskmates org run .yolo-planning/phases/03-api -m anthropic/claude-sonnet-4-5 --permission-mode acceptEdits
$ deskmates org run .yolo-planning/phases/03-api --skip 1,2,9`,
  instead: () => 'Only people run an organisation.',
  define(command) {
    command
      .argument('<phase-dir>', 'the folder of the phase, with its plans')
      .option('--config <file>', `the planning configuration; ${PLAN_CONFIG_FILE} if not given`)
      .option('--skip <steps>', 'numbers of steps to leave out, like 1,2,9', stepNumbers)
    defineRunOptions(command)
  },
  async run(call, options, phaseDir) {
    await using workspace = await openStore(call)
    const cwd = resolve(call.cwd, call.globals.cwd ?? '.')
    // Whether there is one at all comes first: then there is something to look at and to trust.
    validOrganisation(call)
    if (!isTrusted(workspace))
      throw new Refused({
        code: 'not_trusted',
        message: `The organisation of ${workspace.workspace} is not trusted yet. Look at it with: deskmates org show --all, then accept it with: deskmates trust`,
      })
    const { config, file: configFile } = await configNamed(call, options.config)
    const phase = await phaseNamed(call, workspace, { ...options, phaseDir })
    checkSkipped(phase.organisation, options)
    for (const message of phase.departments.warnings) await warn(call, message)
    const before = await readPhase(phase, workspace, call.clock)
    const begun = executionStateOf(phase, before)
    const hasModelOwner = phase.organisation.ownerRuns === 'model'
    const isSignedOff = !hasModelOwner || signOffIn(before)?.decision === 'SHIP'
    if (begun.status === 'complete' && isSignedOff) {
      await printMessage(call, `Phase ${begun.phase} is complete already.`)
      return EXIT.done
    }
    const mode = resolveTeamMode(config, call.env)
    await printMessage(call, `Mode ${mode.mode}: ${mode.reason}.`)
    await sayFallback(call, phase, mode)
    const loaded = await readSettings(call, workspace, settingsOf(options), options.settings)
    const { settings } = loaded
    const mcpServers = await readServers(call, workspace, loaded, options)
    const warning = (message: string) => void warn(call, message)
    const root = realpathSync(workspace.workspace)
    const { model, modelFor } = await chooseModel({
      ...{ settings, env: call.env, root, cwd, warn: warning },
      ...{ maxBudgetUsd: options.maxBudgetUsd, record: options.record },
    })
    const { departments, roles } = phase.organisation
    const share = 1 / (phase.departments.active.length + (hasModelOwner ? 1 : 0))
    const limits = {
      turns: options.maxTurns === undefined ? undefined : Math.max(1, Math.floor(options.maxTurns * share)),
      dollars: options.maxBudgetUsd === undefined ? undefined : options.maxBudgetUsd * share,
    }
    const base = settingsOptions(settings, call.env, loaded.origins)
    const plans = checkedPlans(call, phase, before)
    const scalingOf = (department: string) =>
      [...roles].flatMap(([role, { kind, scaling: scaled }]) => {
        const cap = Math.max(
          scaled?.max ?? 1,
          reviewersAtOnce(phase, role, plans.get(department)?.length || MAX_REVIEWERS),
        )
        if (kind === 'task-only') return [{ role, cap, mode: 'task' as const }]
        return departments.get(department)!.roles.includes(role) ? [{ role, cap, mode: mode.mode }] : []
      })
    const common = {
      ...{ ...base, workspace, model, modelFor, cwd, clock: call.clock, signal: call.signal, warn: warning },
      ...{ mcpServers, agentTypes: agentsOption(options.agents, warning) },
    }
    const report = (event: OrganisationEvent) => say(call, options, phase, event)
    const owner = modelOwner({
      ...{ organisation: phase.organisation, phase: phaseName(phase) },
      open: ({ prompt, ...own }) =>
        openSession({ ...common, ...own, limits, team: ownerTeam(phase), appendSystemPrompt: prompt }),
      onEvent: (event) => report({ type: 'session', department: phase.organisation.owner, event }),
      tellUser: (text) => printStderr(call, `${phase.organisation.owner}: ${logText(text)}\n`),
      async record(handOff) {
        const own = { folder: phase.folder, from: phase.organisation.owner, subjects: [], after: [] }
        const answer = await recordHandOff({ phase, workspace, clock: call.clock }, { ...own, ...handOff })
        if (isRefusal(answer)) throw new Error(`It could not be recorded: ${refusalText(answer)}`)
      },
    })
    const { isOn: autoCommit, reason } = resolveCommits({
      ...{ setting: settings.team?.autoCommit, organisation: () => phase.organisation.autoCommit },
      ...{ config: config?.auto_commit, configFile },
    })
    await printMessage(call, `Commits ${autoCommit ? 'on' : 'off'}: ${reason}.`)
    const { isComplete, isLimited, state } = await runOrganisation({
      ...{ phase, workspace, clock: call.clock, env: call.env, signal: call.signal },
      orchestration: spawnPlan(phase.organisation, phase.departments, mode.mode),
      openDepartment: (name) =>
        openSession({
          ...{ ...common, limits, limitsAllRuns: true, autoCommit, gatesOf: gatesOf(roles, autoCommit) },
          scaling: scalingOf(name),
          keepsMembers: true,
          roles: createRoleRules({
            ...{ organisation: organisationOf(phase.organisation, name), department: name, folder: phase.folder },
          }),
          team: teamOf(phase.organisation, name),
          title: titleOf(phase, name),
          supervisor: { ...base.supervisor, silence: phase.organisation.health.silenceSeconds },
          routing: createMessageRouting({
            ...{ organisation: phase.organisation, department: name, folder: phase.folder },
            record: (handOff, id) => recordHandOff({ phase, workspace, clock: call.clock }, handOff, id),
          }),
          permissions: {
            ...base.permissions,
            deny: [...(base.permissions?.deny ?? []), ...writeGuard(departments, name)],
          },
          appendSystemPrompt: leadPrompt(organisationOf(phase.organisation, name)),
        }),
      approvalGates: config?.approval_gates ?? {},
      ...(hasModelOwner && { owner }),
      whySkipped: (name, step) => whySkipped(phase, options, config, name, step),
      report,
    })
    if (call.globals.json)
      await printJson(call, {
        complete: isComplete,
        ...executionStateOf(phase, state),
        departments: state.departments.map(({ status }) => status),
      })
    else await print(call, phasePicture(call, phase, state))
    if (isComplete) return EXIT.done
    if (call.signal.aborted) return EXIT.interrupted
    await sayHalted(call, state, { phaseDir, isLimited })
    return isLimited ? EXIT.limit : EXIT.leftOpen
  },
}

function leadPrompt({ roles }: Organisation): string | undefined {
  return [...roles.values()].find(({ kind }) => kind === 'lead')?.prompt
}

/** Plans that people wrote must be valid before anything runs; those of a planning step that is not over go back to its lead. */
function checkedPlans(call: Call, phase: Phase, { departments }: PhaseState) {
  const planning = phase.organisation.steps.filter(({ exit }) => exit.includes(PLAN_FILES)).map(({ step }) => step)
  const isPlanning = departments.some(({ facts }) =>
    facts.steps.some(({ step, status }) => planning.includes(step) && (status === 'started' || status === 'failed')),
  )
  const { plans, problems } = plansIn(phase)
  const shown = problems.map((one) => ({ ...one, file: relative(call.cwd, one.file) }))
  if (shown.length > 0 && !isPlanning) throw new Refused(problemsFound(shown))
  return plans
}

/** A role that reviews each plan for itself has an agent for each of them at the same time. */
function reviewersAtOnce({ organisation }: Phase, role: string, plans: number): number {
  const isPerPlan = organisation.steps.some(({ perPlan, roles }) => perPlan && roles.includes(role))
  return isPerPlan ? Math.min(plans, MAX_REVIEWERS) : 1
}

const MAX_REVIEWERS = 5

function titleOf(phase: Phase, department: string): string {
  const [, number = '', name = ''] = /^(\d*)-?(.*)$/s.exec(phaseName(phase)) ?? []
  const { description } = phase.organisation.team
  return description
    .replaceAll('{Department}', `${department.slice(0, 1).toUpperCase()}${department.slice(1)}`)
    .replaceAll('{department}', department)
    .replaceAll('{phase}', number)
    .replaceAll('{phase_name}', name)
}

/** A step is left out where the user says so, where its roles are not in the department, and audits unless they are on. */
function whySkipped(
  { organisation }: Phase,
  { skip }: Options,
  config: PlanConfig | undefined,
  department: string,
  { step, roles }: Step,
): string | undefined {
  if (skip?.has(step)) return 'left out by --skip'
  const { roles: members } = organisation.departments.get(department)!
  const absent = roles.filter((role) => organisation.roles.get(role)?.kind === 'member' && !members.includes(role))
  if (absent.length === roles.length) return `${department} has no ${absent.join(', ')}`
  if (roles.includes('security') && config?.security_audit !== true) return 'security_audit is off'
  return undefined
}

async function sayFallback(call: Call, { departments }: Phase, mode: ResolvedMode): Promise<void> {
  if (!mode.isFallback) return
  for (const name of departments.active) await printStderr(call, `${fallbackText(mode.reason, 'task', name)}\n`)
}

async function sayHalted(
  call: Call,
  { departments }: PhaseState,
  { phaseDir, isLimited }: { phaseDir: string; isLimited: boolean },
): Promise<void> {
  const open = departments.filter(({ status }) => status.status !== 'complete')
  const names = open.map(({ name, status }) => `${name} is ${status.status}`).join(', ')
  const why = open.length === 0 ? 'a gate is not passed' : names
  const advice = isLimited
    ? 'A limit stopped it: continue, with a higher limit, with'
    : 'Do what is named above, then continue with'
  await printStderr(call, `The phase halts: ${why}. ${advice}: deskmates org run ${shellWord(phaseDir)}\n`)
}

async function say(call: Call, { verbose }: Options, { organisation }: Phase, event: OrganisationEvent): Promise<void> {
  switch (event.type) {
    case 'step':
      return printStderr(
        call,
        `${event.department}: step ${event.step.step} ${event.step.name} ${event.status}${event.reason === null ? '' : `: ${logText(event.reason)}`}\n`,
      )
    case 'department_ended':
      if (event.problem === undefined) return
      await printStderr(call, `${event.department} stopped: ${logText(event.problem.text)}\n`)
      return printStderr(call, personAdvice(event.problem.waitsFor, teamOf(organisation, event.department)))
    case 'escalated': {
      const { from, to, recommendation } = event.escalation
      return printStderr(
        call,
        `[ESCALATION] ${event.department}: ${logText(`${from} to ${to}: ${event.issue}. ${recommendation}`)}\n`,
      )
    }
    case 'gate': {
      const { gate, isPassed, missing } = event.decision
      const state = isPassed ? 'is passed' : `is not passed: ${logText(missing.join('; '))}`
      return printStderr(call, `gate ${gate} ${state}${isPassed || event.isBlocking ? '' : ' (reported only)'}\n`)
    }
    case 'session': {
      const { department, event: inner } = event
      if (inner.type === 'tool_finished' && inner.result.isError && SENDING.has(inner.call.toolName))
        return printStderr(call, `${department}: [ROUTING] ${inner.agent}: ${logText(inner.result.text)}\n`)
      if (inner.type !== 'note' && inner.type !== 'problem') return
      if (verbose || inner.type === 'problem' || inner.text.startsWith('['))
        await printStderr(call, `${department}: ${logText(inner.text)}\n`)
    }
  }
}

/** Tools whose refusals a person should see: an agent tried to write to a role that is not its own to write to. */
const SENDING: ReadonlySet<string> = new Set(['SendMessage', 'send_message', 'broadcast'])

/** A mandatory step that would run although it was to be left out is an error, not a surprise. */
function checkSkipped({ steps }: Pick<Organisation, 'steps'>, { skip = new Set() }: Options): void {
  const skippable = steps.filter((step) => step.skippable).map(({ step }) => step)
  const [wrong] = [...skip].filter((number) => !skippable.includes(number))
  if (wrong === undefined) return
  const known = steps.find(({ step }) => step === wrong)
  const why = known ? `step ${wrong} (${known.name}) is mandatory` : `there is no step ${wrong}`
  throw new Misused(`--skip: ${why}. Steps that can be left out: ${skippable.join(', ')}.`)
}

function stepNumbers(text: string): ReadonlySet<number> {
  if (!/^\d{1,2}(,\d{1,2})*$/.test(text))
    throw new Misused(`--skip: ${JSON.stringify(text)} is not a list of steps, like 1,2,9.`)
  return new Set(text.split(',').map(Number))
}
