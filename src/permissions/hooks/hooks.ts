import { type Hook, type HookEvent, type HookSettings, type HooksFail, hooksFor } from './hook-settings.ts'
import { type HookOutcome, type HookPlace, runHook } from './run-hook.ts'

export interface HooksOptions extends HookPlace {
  readonly settings: HookSettings
  /** Undefined: closed before a tool runs, where a hook guards something, and open elsewhere. */
  readonly fail?: HooksFail | undefined
  readonly session: string
}

/** One hook that ran, for events. */
export interface RanHook {
  readonly event: HookEvent
  readonly command: string
  readonly tool?: string
  readonly outcome: HookOutcome['kind']
  /** Why it refused, asked or failed. */
  readonly why?: string
}

/** What all hooks of one event say together: the first that is against it decides. */
export interface HooksSaid {
  /** Why it must not happen; undefined if no hook refuses. */
  readonly refusal: string | undefined
  /** Why a person has to be asked before a tool call; undefined if no hook wants that. */
  readonly ask?: string | undefined
  /** What they want to have said to the model. */
  readonly context: string
}

export interface Hooks {
  has(event: HookEvent, tool?: string): boolean
  /**
   * `fence` rejects when another process has taken the agent over. Each hook passes it directly before it runs, since a
   * hook is an effect, and so does what follows from them all: they take as long as they take.
   */
  run(
    event: HookEvent,
    about: HookAbout,
    world: { readonly signal: AbortSignal; fence(): Promise<void> },
    tell: (ran: RanHook) => void,
  ): Promise<HooksSaid>
}

/** Who does what. The identity comes with the call, never from somewhere else. */
export interface HookAbout {
  readonly agent: string
  readonly tool?: { readonly name: string; readonly input: unknown; readonly id: string }
  readonly result?: string
  readonly prompt?: string
  /** The agent goes on because a hook wanted it to. */
  readonly isGoingOn?: boolean
}

export function createHooks(options: HooksOptions): Hooks {
  return {
    has: (event, tool) => hooksFor(options.settings, event, tool).length > 0,
    async run(event, about, { signal, fence }, tell) {
      const contexts: string[] = []
      const asks: string[] = []
      for (const hook of hooksFor(options.settings, event, about.tool?.name)) {
        await fence()
        const outcome = await runHook(hook, inputOf(options, event, about), options, signal)
        const why = 'why' in outcome ? outcome.why : undefined
        tell({
          event,
          command: hook.command,
          ...(about.tool && { tool: about.tool.name }),
          outcome: outcome.kind,
          ...(why !== undefined && { why }),
        })
        const refusal = refusalOf(event, outcome, hook, options.fail)
        if (refusal !== undefined) {
          await fence()
          return { refusal, context: contexts.join('\n') }
        }
        if (outcome.kind === 'asked' && event === 'PreToolUse') asks.push(outcome.why)
        if (outcome.kind === 'passed' && outcome.context !== '') contexts.push(outcome.context)
      }
      await fence()
      return { refusal: undefined, ask: asks[0], context: contexts.join('\n') }
    },
  }
}

function refusalOf(
  event: HookEvent,
  outcome: HookOutcome,
  { command }: Hook,
  fail: HooksFail | undefined,
): string | undefined {
  if (outcome.kind === 'passed' || outcome.kind === 'asked') return undefined
  if (outcome.kind === 'refused') return outcome.why
  // A hook that failed or did not answer in time has not agreed.
  const isClosed = (fail ?? (event === 'PreToolUse' ? 'closed' : 'open')) === 'closed'
  if (!isClosed) return undefined
  return `the hook ${JSON.stringify(command)} did not answer (${outcome.why}), so it counts as refused`
}

/** The members that scripts for other programs look for. */
function inputOf({ session, cwd }: HooksOptions, event: HookEvent, about: HookAbout): object {
  const { agent, tool, result, prompt, isGoingOn } = about
  return {
    session_id: session,
    agent,
    hook_event_name: event,
    cwd,
    ...(tool && { tool_name: tool.name, tool_input: tool.input, tool_use_id: tool.id }),
    ...(result !== undefined && { tool_response: result }),
    ...(prompt !== undefined && { prompt }),
    ...(event === 'Stop' && { stop_hook_active: isGoingOn ?? false }),
  }
}
