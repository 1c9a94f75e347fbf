import { selectableModel } from '../../agent/selectable-model.ts'
import { type TeamHandle, USER } from '../../journal/team-handle.ts'
import { cleanValue } from '../../redaction/clean-value.ts'
import { createRedactor } from '../../redaction/redactor.ts'
import type { LoadedSettings } from '../../settings/load-settings.ts'
import { mailFiles } from '../../supervisor/mail-files.ts'
import { type Attached, sendPrompt } from '../../supervisor/run.ts'
import type { Applied } from '../../team/apply.ts'
import { TeamError } from '../../team/errors.ts'
import { isPresent } from '../../team/members/member.ts'
import { nameKey } from '../../team/name.ts'
import { isRefusal, type Refusal } from '../../team/refusal.ts'
import { refusalText } from '../../team/refusal-text.ts'
import { memberNamed } from '../../team/state.ts'
import { type ControllableSession, openControllable } from '../open-session.ts'
import type { Session } from '../session.ts'
import type { SessionOptions } from '../session-options.ts'
import { initLine } from '../wire/lines.ts'
import type { TimedLine } from '../wire/live-line.ts'
import { startContinuousRun } from './continuous-run.ts'
import type { ControlAccess } from './control-access.ts'
import { createControlLines } from './control-lines.ts'
import { readHistory } from './history.ts'
import { type AskedQuestion, createQuestions, type Questions } from './questions.ts'
import { serveControl } from './serve-control.ts'
import type { NotDone, SessionControl } from './session-control.ts'
import { rulesIn } from './session-rules.ts'
import { runStatusProgram, type StatusOutcome, type StatusProgram } from './status-program.ts'

export interface ControlOptions extends Omit<SessionOptions, 'ask' | 'askPlan'> {
  /** Of this program. */
  readonly version: string
  /** Serves the session to other processes of this user; without it they cannot reach it. */
  readonly socket?: { readonly access: ControlAccess } | undefined
  /** Where the settings come from, so that the person sees it of each rule. */
  readonly origins?: LoadedSettings['origins']
}

/** A session that a person works with, and its control. Disposing it stops its agents and closes the session. */
export interface OpenControl extends SessionControl {
  readonly opened: Session
  /** The words of a person, and what comes with them. */
  prompt(text: string, line?: string, attached?: Attached): ReturnType<SessionControl['prompt']>
  /** Tokens that fit into the window of the lead's model; undefined where that is unknown. */
  contextWindow(): number | undefined
  /** Runs the program of a status line as the session runs commands: in its sandbox, with their environment. */
  runStatusProgram(program: StatusProgram, input: object, signal: AbortSignal): Promise<StatusOutcome>
}

/** Opens a session for a person: questions of its agents go to the person, and it works whenever there is something to do. */
export async function openControl({ version, socket, ...options }: ControlOptions): Promise<OpenControl> {
  const questions = createQuestions()
  const opened = await openControllable({ ...options, ask: questions.ask, askPlan: questions.askPlan })
  const cwd = options.cwd ?? options.workspace.workspace
  const control = controlOf(opened, questions, { ...options, version, cwd })
  if (!socket) return control
  const { session } = opened
  const { workspace, env = process.env, warn = () => {} } = options
  const journal = workspace.journalOf(session.id)
  const { presence } = workspace.store
  try {
    const served = await serveControl(control, {
      ...{ env, journal, version, runtime: presence.self },
      mayDecide: session.sandbox === 'on' || socket.access === 'full',
      access: socket.access,
    })
    await presence.announce(session.id, { control: served.socket })
    const dispose = async () => {
      await control[Symbol.asyncDispose]()
      await served[Symbol.asyncDispose]()
    }
    return { ...control, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    warn(`Other processes cannot reach this session: ${error instanceof Error ? error.message : String(error)}`)
    return control
  }
}

interface ControlParts extends ControlOptions {
  readonly cwd: string
}

function controlOf(
  { session, context, supervisor, policy }: ControllableSession,
  questions: Questions,
  { version, cwd, env = process.env, secrets, sandbox, origins = [] }: ControlParts,
): OpenControl {
  const { id } = session
  const redactor = createRedactor(env, secrets)
  const lines = createControlLines({ session: id, clock: context.clock, redactor })
  const base = { session_id: id, agent: 'lead' } as const
  const watched = new Map<TeamHandle, () => void>()
  const teams = () => supervisor.supervisedTeams.map(({ team }) => team)

  context.run.emit = lines.onEvent
  supervisor.onTeamsChanged = watchTeams
  questions.watch({
    policy,
    onAsked: (question) => lines.write(questionLine(question)),
    onClosed: ({ agent, line }, outcome) =>
      lines.write({ type: 'deskmates/question_closed', session_id: id, agent, id: line.id, outcome }),
  })
  const runs = startContinuousRun(session, supervisor, () => lines.write(runLine()))
  watchTeams()
  // Tools and prompts of servers that start slowly.
  if (session.mcpServers.length > 0) void session.toolsReady().then(() => lines.write(firstLine()))

  function watchTeams(): void {
    for (const [team, stop] of watched) {
      if (teams().includes(team)) continue
      stop()
      watched.delete(team)
    }
    for (const team of teams()) {
      if (watched.has(team)) continue
      watched.set(
        team,
        team.watch((applied) => {
          lines.onRecord(team, applied)
          if (isFromOutside(applied)) runs.start()
        }),
      )
      lines.addTeam(team)
    }
  }

  function questionLine({ agent, line }: AskedQuestion): TimedLine['line'] {
    return { session_id: id, agent, ...line }
  }

  function runLine(): TimedLine['line'] {
    return { type: 'deskmates/run', ...base, state: runs.isWorking ? 'working' : 'settled', error: runs.error }
  }

  function modeLine(): TimedLine['line'] {
    return { type: 'deskmates/mode', ...base, mode: policy.current.mode }
  }

  function firstLine(): TimedLine['line'] {
    return initLine(session, { cwd, permissionMode: policy.current.mode, version })
  }

  /** The team with a member of this name, one that is present before others. */
  function teamWith(name: string): TeamHandle | undefined {
    const known = teams().filter(({ state }) => memberNamed(state, name) !== undefined)
    return known.find(({ state }) => isPresent(memberNamed(state, name)!)) ?? known[0]
  }

  function done(answer: object | Refusal): NotDone | undefined {
    return isRefusal(answer) ? { refused: refusalText(answer) } : undefined
  }

  async function send(to: string, content: string): Promise<NotDone | undefined> {
    if (content.trim() === '') return { refused: EMPTY }
    const isToAll = nameKey(to) === 'all'
    const team = isToAll ? session.team : teamWith(to)
    if (!team) return { refused: unknownMember(to) }
    const attached = await mailFiles(supervisor, { text: content, cwd }, { team, agents: agentsIn(team, to) })
    const extra = attached.length > 0 && { extra: { attached: [...attached] } }
    const effects = await team.send({ to, content, ...extra })
    if (isRefusal(effects)) return { refused: refusalText(effects) }
    const bounced = effects.filter(({ outcome }) => outcome === 'bounced')
    if (bounced.length > 0 && bounced.length === effects.length)
      return { refused: `${to} did not get it: ${bounced[0]!.reason ?? 'the message was returned'}.` }
    return undefined
  }

  /** The agents that mail to this name reaches: files of the person are attached for them. */
  function agentsIn({ state }: TeamHandle, to: string): string[] {
    const members = [...state.members.values()].filter((member) => member.kind === 'agent' && isPresent(member))
    return members.flatMap(({ name }) => (nameKey(to) === 'all' || nameKey(name) === nameKey(to) ? [name] : []))
  }

  function unknownMember(name: string): string {
    const members = teams().flatMap(({ state }) => [...state.members.values()].filter(isPresent))
    const names = [...new Set(members.map(({ name }) => name))]
    return `There is no member ${name}. Members: ${names.join(', ')}.`
  }

  async function close(): Promise<void> {
    await runs[Symbol.asyncDispose]()
    for (const stop of watched.values()) stop()
    watched.clear()
    await session.close()
    lines.end('The session was closed.')
  }

  return {
    session: id,
    opened: session,
    contextWindow: () => supervisor.leadModel.context,
    runStatusProgram: (program, input, signal) =>
      runStatusProgram(program, input, { context, requiresSandbox: sandbox?.mode === 'require' }, signal),
    subscribe: (onLine, onEnd = () => {}) =>
      lines.subscribe(
        { onLine, onEnd },
        { init: firstLine(), teams: teams(), rest: [...questions.open.map(questionLine), modeLine(), runLine()] },
      ),
    async history(agent, most) {
      const team = nameKey(agent) === 'lead' ? session.team : teamWith(agent)
      const member = team && memberNamed(team.state, agent)
      if (!team || member?.kind !== 'agent') return []
      const found = await readHistory(context.store, { session: id, team: team.name, agent: member.name }, most)
      return found.map(({ at, line }) => ({ at, line: cleanValue(line, redactor) }))
    },
    async prompt(text, line, attached = {}) {
      if (text.trim() === '' && !attached.text && !attached.images?.length) return { refused: EMPTY }
      const isQueued = runs.isWorking
      try {
        const { signal } = new AbortController()
        await sendPrompt(supervisor, await session.expandPrompt(text), { signal, attached, typed: { text, cwd }, line })
      } catch (error) {
        // Anything else is a failure of the journal, and the caller has to know it as such.
        if (error instanceof TeamError) return { refused: error.message }
        throw error
      }
      return isQueued ? 'queued' : 'started'
    },
    interrupt: async (agent) => supervisor.interrupt(agent),
    send,
    answer: async (question, given) => questions.answer(question, given),
    async answerRequest(request, approve, feedback) {
      const team = teams().find(({ state }) => state.requests.get(request)?.state === 'pending')
      const open = team?.state.requests.get(request)
      if (!team || !open) return { refused: `There is no open request ${request}.` }
      // An approval in the journal allows nothing: the process that asked needs the answer itself.
      if (open.kind === 'permission') return { refused: `Request ${request} is a question: answer that one.` }
      return done(await team.run({ type: 'request.answer', id: request, approve, feedback }, { by: USER }))
    },
    rules: async () => cleanValue(rulesIn(policy.current, origins), redactor),
    async setMode(mode) {
      if (!policy.setMode(mode)) return { refused: NO_BYPASS }
      lines.write(modeLine())
      return undefined
    },
    async setModel(name) {
      try {
        supervisor.leadModel.use(await context.modelFor(selectableModel(name)))
      } catch (error) {
        if (error instanceof TeamError) return { refused: error.message }
        throw error
      }
      lines.write(firstLine())
      return undefined
    },
    async spawn(name, role, prompt) {
      const spawned = await supervisor.spawn({ name, role, prompt })
      // It is the lead that spawns: its record does not come from outside.
      if (!isRefusal(spawned)) runs.start()
      return done(spawned)
    },
    async stop(name, isForced) {
      const team = teamWith(name)
      const member = team && memberNamed(team.state, name)
      if (!team || !member) return { refused: unknownMember(name) }
      if (nameKey(name) === 'lead') return { refused: 'The lead ends with its session: close that.' }
      const reason = 'the user stopped it'
      if (isForced) return done(await team.run({ type: 'member.stop', name: member.name, reason }, { by: USER }))
      const content = 'The user asks you to stop.'
      return done(await team.run({ type: 'request.open', kind: 'shutdown', to: member.name, content }, { by: USER }))
    },
    async compact(focus) {
      const compacted = runs.alone(async (signal) => {
        const events = session.compact(focus, signal)
        let isShown = false
        for (;;) {
          const step = await events.next()
          if (!step.done) {
            isShown ||= step.value.type === 'compacted' || step.value.type === 'compaction_failed'
            lines.onEvent(step.value)
          } else if (step.value.kind === 'error') return { refused: step.value.error.message }
          else return isShown ? '' : step.value.text
        }
      })
      return compacted ?? { refused: 'Agents are working. Summarise the conversation when they are finished.' }
    },
    [Symbol.asyncDispose]: close,
  }
}

const EMPTY = 'The message is empty. Nothing was sent.'
const NO_BYPASS =
  'The mode bypassPermissions is for sessions that were started with it: deskmates --permission-mode bypassPermissions'

/** A person, a script or an external member did something that agents may have to react to. Agents carry a generation. */
function isFromOutside({ by, events }: Applied): boolean {
  return by.generation === undefined && events.some(({ type }) => CAUSES_WORK.has(type))
}

const CAUSES_WORK = new Set<string>([
  'message.sent',
  'external.received',
  'request.opened',
  'request.answered',
  'task.completed',
  'task.failed',
])
