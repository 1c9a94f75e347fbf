import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Option } from 'commander'
import type { SessionEvent } from '../../agent/session-event.ts'
import type { Clock } from '../../journal/clock.ts'
import type { Organisation } from '../../organisation/definition/organisation.ts'
import { ORGANISATION_FOLDER, readOrganisation } from '../../organisation/definition/read-organisation.ts'
import { assignPlans } from '../../organisation/phases/assign-plans.ts'
import { createPlanRouting } from '../../organisation/routing/plan-routing.ts'
import { isTrusted } from '../../permissions/trust/folder-trust.ts'
import { type ResolvedCommits, resolveCommits } from '../../plan/auto-commit.ts'
import { MAX_DEVS } from '../../plan/dev-count.ts'
import type { Plan } from '../../plan/plan.ts'
import { PLAN_CONFIG_FILE } from '../../plan/plan-config.ts'
import { DEV_ROLE } from '../../plan/plan-draft.ts'
import { type PlanStatus, planStatus } from '../../plan/plan-status.ts'
import { resolveTeamMode, TEAM_MODES, type WantedMode } from '../../plan/team-mode.ts'
import { fallbackText } from '../../prompts/reports.ts'
import { recordHandOff } from '../../session/organisation/record-hand-off.ts'
import { folderOf, loadPlans, plansToLoad } from '../../session/plan/load-plans.ts'
import { teamOfPlans } from '../../session/plan/plan-team.ts'
import type { Session } from '../../session/session.ts'
import type { Settings } from '../../settings/settings.ts'
import { isRefusal } from '../../team/refusal.ts'
import { shellWord } from '../../team/wording.ts'
import type { MessageRouting } from '../../tools/message-routing.ts'
import type { Workspace } from '../../workspace.ts'
import { logText } from '../output/format.ts'
import { printMessage, printStderr, warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { EXIT, Misused, Refused, refused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { modelOption } from '../run/model-option.ts'
import { defineRunOptions, type RunOptions } from '../run/options.ts'
import { runToEnd } from '../run/run.ts'
import { openStore } from '../workspace/open-store.ts'
import { openFolded, wantedTeam } from '../workspace/open-team.ts'
import { configNamed, type NamedConfig } from './config.ts'
import { openTasksAdvice } from './open-tasks-advice.ts'
import { plansPicture } from './picture.ts'
import { problemsFound, validPlans } from './read.ts'

interface Options extends RunOptions {
  mode?: WantedMode
  maxDevs?: number
  config?: string
}

/** Loads plans and lets developers, which code starts, do their tasks. Run again, it continues where it stopped. */
export const planRun: SubCommand<Options, [files: string[]]> = {
  example: `$ deskmates plan run phases/03-api -m anthropic/claude-sonnet-4-5 --permission-mode acceptEdits
$ deskmates plan run phases/03-api --mode task --max-devs 2`,
  instead: () => 'Only people run plans; claim the tasks of the board with TaskUpdate.',
  define(command) {
    command
      .argument('<files...>', 'plan files, or folders with plan files')
      .addOption(
        new Option('--mode <mode>', 'run tasks one-shot, or by teammates; overrides the configuration').choices(
          TEAM_MODES,
        ),
      )
      .option('--max-devs <n>', `the most developers at the same time; ${MAX_DEVS} if not given`, devs)
      .option('--config <file>', `the planning configuration; ${PLAN_CONFIG_FILE} if not given`)
    defineRunOptions(command)
  },
  async run(call, options, files) {
    const plans = validPlans(call, files)
    const { team, isDone } = await checkedTeam(call, plans)
    if (isDone) return EXIT.done
    const planning = await configNamed(call, options.config)
    const wanted = options.mode === undefined ? planning.config : { ...planning.config, team_mode: options.mode }
    const mode = resolveTeamMode(wanted, call.env)
    await printMessage(call, `Mode ${mode.mode}: ${mode.reason}.`)
    if (mode.isFallback) await printLine(call, fallbackText(mode.reason, 'task', DEV_ROLE))
    const again = `deskmates plan run ${files.map(shellWord).join(' ')}${modelOption(options.model)}`
    let left: readonly PlanStatus[] = []
    const code = await runToEnd(call, options, {
      needsPrompt: false,
      team,
      session: async (settings, workspace) => {
        const organisation = organisationOf(workspace)
        const { isOn, reason } = commitsOf(settings, planning, organisation)
        await printMessage(call, `Commits ${isOn ? 'on' : 'off'}: ${reason}.`)
        return {
          title: plans.map(({ id, header }) => `${id} ${header.t}`).join('; '),
          scaling: [{ role: DEV_ROLE, cap: options.maxDevs ?? MAX_DEVS, mode: mode.mode }],
          autoCommit: isOn,
          ...(organisation.trusted && { routing: routingOf(organisation.trusted, plans, workspace, call.clock) }),
        }
      },
      resumeCommand: () => again,
      begin: (session) => load(call, session, plans),
      onEvent: (event) => printNote(call, options, event),
      report: ({ team }) => {
        const shown = planStatus(team.state)
        left = shown
        return {
          members: { team: team.name, mode: mode.mode, plans: shown },
          text: plansPicture(call, { team: team.name, plans: shown }),
        }
      },
    })
    if (code === EXIT.leftOpen || code === EXIT.failed) await printStderr(call, openTasksAdvice(left, team))
    return code
  },
}

/** The team, after it is sure that the plans can be loaded there: nothing is created for plans that cannot. */
async function checkedTeam(call: Call, plans: readonly Plan[]): Promise<{ team: string; isDone: boolean }> {
  await using workspace = await openStore(call)
  const isNamed = call.globals.team !== undefined || Boolean(call.env.DESKMATES_TEAM)
  const name = isNamed ? wantedTeam(call) : await teamOfPlans(workspace, plans, call.clock)
  await using team = await openFolded(call, workspace, name, false)
  const { problems, drafts, complete } = await plansToLoad(plans, { team, workspace, clock: call.clock, env: call.env })
  if (problems.length > 0) throw new Refused(problemsFound(problems))
  const isDone = drafts.length === 0
  if (isDone) for (const { note } of complete) if (note !== undefined) await printMessage(call, note)
  return { team: name, isDone }
}

interface FoundOrganisation {
  readonly trusted?: Organisation
  /** It comes with the repository, and has no effect before `deskmates trust`. */
  readonly untrusted?: Organisation | undefined
}

/** The organisation of this folder; one that is trusted and broken is an error, never a default. */
function organisationOf(workspace: Workspace): FoundOrganisation {
  const folder = join(workspace.workspace, ORGANISATION_FOLDER)
  if (!existsSync(folder)) return {}
  const { organisation, problems } = readOrganisation(folder)
  if (!isTrusted(workspace)) return { untrusted: organisation }
  if (!organisation) throw new Refused(problemsFound(problems, 'invalid_organisation'))
  return { trusted: organisation }
}

function commitsOf(
  settings: Settings,
  { config, file }: NamedConfig,
  { trusted, untrusted }: FoundOrganisation,
): ResolvedCommits {
  return resolveCommits({
    ...{ setting: settings.team?.autoCommit, config: config?.auto_commit, configFile: file },
    organisation: () => (untrusted?.autoCommit ? 'untrusted' : (trusted ?? untrusted)?.autoCommit),
  })
}

/** Hand-offs of developers are those of the department whose folders the plans change, else of the first active one. */
function routingOf(
  organisation: Organisation,
  plans: readonly Plan[],
  workspace: Workspace,
  clock: Clock,
): MessageRouting {
  const departments = [...organisation.departments].map(([name, { folders, active }]) => ({ name, folders, active }))
  const assigned = assignPlans(plans, departments).plans
  const concerned = departments.filter(({ name }) => (assigned.get(name)?.length ?? 0) > 0)
  const [department] = concerned.length === 1 ? concerned : departments.filter(({ active }) => active)
  const [first] = plans
  const folder = (first && folderOf(first, workspace.workspace)) ?? ''
  const place = { phase: { organisation }, workspace, clock }
  return createPlanRouting({
    ...{ organisation, department: department?.name ?? '', folder },
    record: (handOff, id) => recordHandOff(place, handOff, id),
  })
}

async function load(call: Call, { team }: Session, plans: readonly Plan[]): Promise<void> {
  await using workspace = await openStore(call)
  const loaded = await loadPlans(plans, { team, workspace, clock: call.clock, env: call.env })
  if (isRefusal(loaded)) throw refused(loaded)
  if ('problems' in loaded) throw new Refused(problemsFound(loaded.problems))
  const isLoaded = ({ plan }: { plan: string }) => team.state.plans.has(plan)
  for (const one of loaded) if (one.note !== undefined && !isLoaded(one)) await printMessage(call, one.note)
}

/** Fallbacks, losses and the breaker are always said; --verbose prints them with everything else. */
async function printNote(call: Call, { verbose, outputFormat }: Options, event: SessionEvent): Promise<void> {
  const isPrinted = verbose ?? ((outputFormat ?? 'text') === 'text' && call.isStderrTerminal === true)
  if (event.type === 'note' && !isPrinted) await printLine(call, event.text)
}

/** A line of the log on stderr, which holds nothing but JSON for programs. */
function printLine(call: Call, text: string): Promise<void> {
  return call.globals.json ? warn(call, text) : printMessage(call, logText(text))
}

const MAX_CAP = 100

function devs(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text) || Number(text) > MAX_CAP)
    throw new Misused(`${JSON.stringify(text)} is not a number of developers. Use 1 to ${MAX_CAP}.`)
  return Number(text)
}
