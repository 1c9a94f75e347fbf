import type { Person } from '../permissions/permissions.ts'
import { endRecordedGroup } from '../permissions/processes/process-group.ts'
import { limitText } from '../prompts/limit.ts'
import { BUDGET_USED, lifelessText, silentModelText } from '../prompts/reports.ts'
import { subagentSituationText } from '../prompts/subagent.ts'
import { subagentPrompt } from '../prompts/system-prompt.ts'
import { createReads } from '../tools/files/reads.ts'
import { toolsForSubagent } from '../tools/registry.ts'
import { announcingReserved } from '../tools/reservations/announce-reserved.ts'
import { hasServerTool } from '../tools/subagents/narrow-type.ts'
import type { RunSubagent, SubagentEnd } from '../tools/subagents/run-subagent.ts'
import type { Agent } from './agent.ts'
import type { Stop } from './agent-event.ts'
import { recoverInterruptedCalls } from './calls/recover-interrupted-calls.ts'
import { createToolHooks } from './calls/tool-hooks.ts'
import { textOf } from './compaction/ask-summary.ts'
import { type Input, userTurn } from './input/inbox.ts'
import { createNotices } from './input/notices.ts'
import { runLoop } from './loop.ts'
import { offeredTools } from './offered-tools.ts'
import { selectableModel } from './selectable-model.ts'
import { type SessionContext, stallLimits } from './session-context.ts'
import { MAX_ANSWER_SILENCE_S, MAX_CLOSING_SILENCE_S, watchSilence, watchStall } from './silence.ts'
import { openTranscript } from './transcript/transcript.ts'

/** The agent that starts subagents, and what they take from it. */
export interface ParentAgent {
  readonly name: string
  readonly recordUsage: Agent['recordUsage']
  /** Who is asked to allow the actions of a subagent of this name. */
  personFor(agent: string): Person
  /** The run waits for nothing but subagents. */
  isFinished(): boolean
}

/**
 * Runs subagents: each has its own conversation that begins with the prompt and nothing else, under the same permissions
 * and limits. Its transcript is kept only where the options say so; else only its last text is, as the result of the call
 * that started it.
 */
export function createSubagentRunner(context: SessionContext, parent: ParentAgent): RunSubagent {
  const started = new Map<string, number>()
  return async (
    { type, prompt, model, tools = [], record, wantsMore, isWaiting, isOwing = () => true },
    toolContext,
    onToolCall,
  ) => {
    const count = (started.get(type.name) ?? 0) + 1
    started.set(type.name, count)
    const name = `${parent.name}/${type.name}-${count}`
    const hooks =
      context.hooks &&
      createToolHooks(context.hooks, {
        agent: name,
        parent: toolContext.callId,
        fence: toolContext.fence,
        emit: (event) => context.run.emit(event),
      })
    const permissions = context.permissionsFor({
      isReadOnly: type.isReadOnly,
      hasLead: true,
      person: parent.personFor(`${parent.name} › ${type.name}`),
      ...(hooks && { hooks: hooks.beforeCall }),
    })
    const offered = offeredTools([...toolsForSubagent(type), ...tools], {
      source: context.toolSource,
      has: (tool) => permissions.isOffered(tool.name),
      hasSourced: (tool) => hasServerTool(type, tool.name),
      wrap: (some) => hooks?.afterCalls(announcingReserved(some)) ?? announcingReserved(some),
    })
    const reads = createReads()
    const log = record?.log ?? (await context.openScratchLog())
    const generation = record?.generation ?? 1
    await using transcript = await openTranscript({ log, generation, eraser: context.eraser })
    if (record?.continued)
      await recoverInterruptedCalls({ transcript, notices: createNotices(), team: record.continued }, endRecordedGroup)
    const isBegun = transcript.state.turns.length > 0
    const prompts = isBegun ? [] : [{ ...inputOf(prompt), task: record?.task }]
    /** Only where it would end otherwise: nothing is added in the middle of its work. */
    const more = () => {
      const last = transcript.state.turns.at(-1)
      const text = last?.role === 'assistant' ? wantsMore?.(textOf({ turn: last })) : undefined
      return text === undefined ? undefined : inputOf(text)
    }
    const silent = new AbortController()
    const silence = watchSilence(context.clock, {
      seconds: () => (isOwing() ? MAX_ANSWER_SILENCE_S : MAX_CLOSING_SILENCE_S),
      mayEnd: parent.isFinished,
      end: () => silent.abort(Object.assign(new Error('Its model is silent.'), { name: 'AbortError' })),
    })
    let lifelessSeconds: number | undefined
    const stall =
      isWaiting &&
      watchStall(context.clock, {
        limits: stallLimits(context.supervisor),
        isWaiting,
        end(seconds) {
          lifelessSeconds = seconds
          silent.abort(Object.assign(new Error('It is stalled.'), { name: 'AbortError' }))
        },
      })
    const signal = AbortSignal.any([toolContext.signal, silent.signal])
    const loop = runLoop(
      {
        name,
        system: subagentPrompt(type.prompt, toolContext),
        model: model === undefined ? context.model : await context.modelFor(selectableModel(model)),
        get tools() {
          return offered.tools
        },
        toolsReady: offered.ready,
        maxOutput: context.maxOutput,
        limits: context.limits,
        transcript,
        used: context.run.used,
        order: context.model.order,
        memory: {
          keep: toolContext.outputs.keep,
          situation: async () => subagentSituationText(name, type.name, parent.name, prompt),
        },
        inbox: {
          notices: createNotices(),
          hasInput: () => false,
          next: async () => prompts.shift() ?? more(),
          acknowledge: async () => {},
        },
        recordUsage: parent.recordUsage,
        permissions,
        toolContext: (call, signal, progress) => ({
          ...toolContext,
          agent: name,
          callId: call.toolCallId,
          signal,
          reads,
          forbids: permissions.forbids,
          progress,
          // Recorded by the parent: the transcript of a subagent may end with this process.
          recordGroup: (group) => toolContext.recordGroup(group),
        }),
      },
      signal,
    )
    let turns = 0
    try {
      silence.onEvent()
      stall?.onEvent()
      return await runToEnd()
    } finally {
      silence.stop()
      stall?.stop()
      await context.toolSource?.release({ team: toolContext.team, agent: name })
    }

    async function runToEnd(): Promise<SubagentEnd> {
      let step = await loop.next()
      for (; !step.done; step = await loop.next()) {
        const event = step.value
        silence.onEvent(event)
        stall?.onEvent(event)
        if (event.type === 'tool_finished') onToolCall()
        context.run.emit({ ...event, agent: name, parent: toolContext.callId })
        // Its own limit, from the file of its type: the calls of that last answer are not run.
        if (event.type !== 'answered' || ++turns < (type.maxTurns ?? Number.POSITIVE_INFINITY)) continue
        if (!event.reply.turn.content.some((part) => part.type === 'tool-call')) continue
        await loop.return(undefined as never)
        return { text: '', problem: `it used the ${turns} turns that maxTurns of its agent file gives it` }
      }
      toolContext.signal.throwIfAborted()
      if (!silent.signal.aborted) return endOf(isBegun ? withLastText(step.value) : step.value)
      if (lifelessSeconds !== undefined) return { text: '', problem: lifelessText('it', lifelessSeconds) }
      if (!isOwing()) return { text: step.value.text }
      const problem = silentModelText(MAX_ANSWER_SILENCE_S)
      context.run.emit({ type: 'problem', agent: name, text: `${name} was not waited for: ${problem}.` })
      return { text: step.value.text, problem }
    }

    /** A conversation that ended with its answer before it was continued has no new one. */
    function withLastText(stop: Stop): Stop {
      const last = transcript.state.turns.at(-1)
      return stop.kind === 'finished' && last?.role === 'assistant' ? { ...stop, text: textOf({ turn: last }) } : stop
    }
  }
}

function inputOf(text: string): Input {
  return { turn: userTurn([text]), mail: [], jobs: [], acknowledge: async () => {}, waitUntilDurable: async () => {} }
}

function endOf(stop: Stop): SubagentEnd {
  const { text } = stop
  switch (stop.kind) {
    case 'finished':
      return { text }
    case 'limit':
      return { text, problem: limitText(stop) }
    case 'budget':
      return { text, problem: BUDGET_USED }
    case 'aborted':
      return { text, problem: 'it was stopped' }
    case 'error':
      return { text, problem: stop.error.message }
  }
}
