import type { AlarmClock } from '../journal/clock.ts'
import type { Log } from '../journal/store.ts'
import type { Model } from '../models/model.ts'
import type { Hooks } from '../permissions/hooks/hooks.ts'
import type { Permissions } from '../permissions/permission.ts'
import type { AgentPermissionsOptions, Person } from '../permissions/permissions.ts'
import { limitText } from '../prompts/limit.ts'
import { BUDGET_USED, silentModelText } from '../prompts/reports.ts'
import { subagentSituationText } from '../prompts/subagent.ts'
import { subagentPrompt } from '../prompts/system-prompt.ts'
import type { Eraser } from '../redaction/eraser.ts'
import { createReads } from '../tools/files/reads.ts'
import { toolsForSubagent } from '../tools/registry.ts'
import { announcingReserved } from '../tools/reservations/announce-reserved.ts'
import type { RunSubagent, SubagentEnd } from '../tools/subagents/run-subagent.ts'
import type { Agent, Limits, RunUsage } from './agent.ts'
import type { Stop } from './agent-event.ts'
import { chosen } from './chosen-model.ts'
import { type Input, userTurn } from './inbox.ts'
import { runLoop } from './loop.ts'
import { createNotices } from './notices.ts'
import type { SessionEvent } from './session-event.ts'
import { MAX_ANSWER_SILENCE_S, MAX_CLOSING_SILENCE_S, watchSilence } from './silence.ts'
import { openTranscript } from './transcript/transcript.ts'
import { createToolHooks } from './with-hooks.ts'

export interface SubagentOptions {
  /** Whoever sends them out. */
  readonly name: string
  readonly model: Model
  /** Another model by its name. */
  modelFor(name: string): Promise<Model>
  readonly limits: Limits
  readonly maxOutput?: number | undefined
  permissionsFor(options: AgentPermissionsOptions): Permissions
  /** Who is asked to allow the actions of an agent of this name. */
  personFor(agent: string): Person
  /** A log that is gone with this process, for a conversation that is not kept. */
  openScratchLog(): Promise<Log>
  readonly hooks?: Hooks | undefined
  readonly eraser?: Eraser | undefined
  account: Agent['recordUsage']
  readonly clock: AlarmClock
  /** The run waits for nothing but those who were sent out. */
  isFinished(): boolean
  /** The run that pays for it and shows it. */
  readonly run: { readonly used: RunUsage; readonly emit: (event: SessionEvent) => void }
}

/**
 * An errand: a conversation of its own that begins with the prompt and nothing else, under the same permissions, paid
 * from the same purse. It is kept only where its plan says so; else its last word is, as the result of the call that
 * sent it out.
 */
export function createRunAgent(home: SubagentOptions): RunSubagent {
  const sent = new Map<string, number>()
  return async ({ type, prompt, model, tools = [], record, wantsMore, isOwing = () => true }, world, onToolCall) => {
    const count = (sent.get(type.name) ?? 0) + 1
    sent.set(type.name, count)
    const name = `${home.name}/${type.name}-${count}`
    const hooks =
      home.hooks &&
      createToolHooks(home.hooks, {
        agent: name,
        parent: world.callId,
        fence: world.fence,
        emit: (event) => home.run.emit(event),
      })
    const permissions = home.permissionsFor({
      isReadOnly: type.isReadOnly,
      hasLead: true,
      person: home.personFor(`${home.name} › ${type.name}`),
      ...(hooks && { hooks: hooks.beforeCall }),
    })
    const offered = announcingReserved(
      [...toolsForSubagent(type), ...tools].filter((tool) => permissions.isOffered(tool.name)),
    )
    const reads = createReads()
    const log = record?.log ?? (await home.openScratchLog())
    const generation = record?.generation ?? 1
    await using transcript = await openTranscript({ log, generation, eraser: home.eraser })
    const asked = [{ ...said(prompt), task: record?.task }]
    /** Only where it would end otherwise: in the middle of its work nothing is added. */
    const more = () => {
      const text = transcript.state.turns.at(-1)?.role === 'assistant' ? wantsMore?.() : undefined
      return text === undefined ? undefined : said(text)
    }
    const silent = new AbortController()
    const silence = watchSilence(home.clock, {
      seconds: () => (isOwing() ? MAX_ANSWER_SILENCE_S : MAX_CLOSING_SILENCE_S),
      mayEnd: home.isFinished,
      end: () => silent.abort(Object.assign(new Error('Its model is silent.'), { name: 'AbortError' })),
    })
    const signal = AbortSignal.any([world.signal, silent.signal])
    const loop = runLoop(
      {
        name,
        system: subagentPrompt(type.prompt, world),
        model: model === undefined ? home.model : await home.modelFor(chosen(model)),
        tools: hooks?.afterCalls(offered) ?? offered,
        maxOutput: home.maxOutput,
        limits: home.limits,
        transcript,
        used: home.run.used,
        order: home.model.order,
        memory: {
          keep: world.outputs.keep,
          situation: async () => subagentSituationText(name, type.name, home.name, prompt),
        },
        inbox: {
          notices: createNotices(),
          hasInput: () => false,
          next: async () => asked.shift() ?? more(),
          acknowledge: async () => {},
        },
        recordUsage: home.account,
        permissions,
        toolContext: (call, signal, progress) => ({
          ...world,
          agent: name,
          callId: call.toolCallId,
          signal,
          reads,
          forbids: permissions.forbids,
          progress,
          // On record with whoever sent it out: this conversation is gone when its process is.
          recordGroup: (group) => world.recordGroup(group),
        }),
      },
      signal,
    )
    let turns = 0
    try {
      silence.hear()
      return await untilItEnds()
    } finally {
      silence.stop()
    }

    async function untilItEnds(): Promise<SubagentEnd> {
      let step = await loop.next()
      for (; !step.done; step = await loop.next()) {
        const event = step.value
        silence.hear(event)
        if (event.type === 'tool_finished') onToolCall()
        home.run.emit({ ...event, agent: name, parent: world.callId })
        // Its own limit, from the file of its type: the calls of that last answer are not run.
        if (event.type !== 'answered' || ++turns < (type.maxTurns ?? Number.POSITIVE_INFINITY)) continue
        if (!event.reply.turn.content.some((part) => part.type === 'tool-call')) continue
        await loop.return(undefined as never)
        return { text: '', problem: `it used the ${turns} turns that maxTurns of its agent file gives it` }
      }
      world.signal.throwIfAborted()
      if (!silent.signal.aborted) return endOf(step.value)
      if (!isOwing()) return { text: step.value.text }
      const problem = silentModelText(MAX_ANSWER_SILENCE_S)
      home.run.emit({ type: 'problem', agent: name, text: `${name} was not waited for: ${problem}.` })
      return { text: step.value.text, problem }
    }
  }
}

function said(text: string): Input {
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
