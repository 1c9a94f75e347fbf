import type { AlarmClock } from '../ports/clock.ts'
import type { Model } from '../ports/model.ts'
import type { Eraser } from '../redaction/eraser.ts'
import type { Stop } from '../runtime/converse/agent-event.ts'
import type { Conversation, Limits, News, Used } from '../runtime/converse/conversation.ts'
import { converse } from '../runtime/converse/converse.ts'
import { limitWords } from '../runtime/converse/limit-words.ts'
import { userTurn } from '../runtime/converse/mail-news.ts'
import { ANSWER_SILENCE, CLOSING_SILENCE, watchSilence } from '../runtime/silence.ts'
import { openTranscript } from '../runtime/transcript.ts'
import { openMemoryStore } from '../stores/memory/memory-store.ts'
import { announcingReserved } from '../tools/announce-reserved.ts'
import type { Hooks } from '../tools/hooks/hooks.ts'
import { createReads } from '../tools/reads.ts'
import type { RunAgent, SubagentEnd } from '../tools/task.ts'
import { toolsForSubagent } from '../tools/toolbox.ts'
import { chosen } from './chosen-model.ts'
import { hooked } from './hooked.ts'
import type { Asker, Permits } from './permits.ts'
import type { SessionEvent } from './session.ts'
import { subagentPrompt } from './system-prompt.ts'

export interface SubagentHome {
  /** Whoever sends them out. */
  readonly name: string
  readonly model: Model
  /** Another model by its name. */
  modelFor(name: string): Promise<Model>
  readonly limits: Limits
  readonly maxOutput?: number | undefined
  permits(isReadOnly: boolean, isSentOut: true, asker: Asker): Permits
  /** Whom an agent of this name asks for leave. */
  askerOf(agent: string): Asker
  readonly hooks?: Hooks | undefined
  readonly eraser?: Eraser | undefined
  account: Conversation['account']
  readonly clock: AlarmClock
  /** The run waits for nothing but those who were sent out. */
  isFinished(): boolean
  /** The run that pays for it and shows it. */
  readonly run: { readonly used: Used; readonly tell: (event: SessionEvent) => void }
}

/**
 * An errand: a conversation of its own that begins with the prompt and nothing else, under the same permissions, paid
 * from the same purse. It is kept only where its plan says so; else its last word is, as the result of the call that
 * sent it out.
 */
export function createRunAgent(home: SubagentHome): RunAgent {
  const sent = new Map<string, number>()
  return async ({ type, prompt, model, tools = [], record, wantsMore, isOwing = () => true }, world) => {
    const count = (sent.get(type.name) ?? 0) + 1
    sent.set(type.name, count)
    const name = `${home.name}/${type.name}-${count}`
    const permits = home.permits(type.isReadOnly, true, home.askerOf(`${home.name} › ${type.name}`))
    const around =
      home.hooks &&
      hooked(home.hooks, { agent: name, parent: world.call, fence: world.fence, tell: (event) => home.run.tell(event) })
    const offered = announcingReserved(
      [...toolsForSubagent(type), ...tools].filter((tool) => permits.isOffered(tool.name)),
    )
    const reads = createReads()
    await using store = await openMemoryStore()
    const log = record?.log ?? (await store.log('errand/transcripts/agent'))
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
      seconds: () => (isOwing() ? ANSWER_SILENCE : CLOSING_SILENCE),
      mayEnd: home.isFinished,
      end: () => silent.abort(Object.assign(new Error('Its model is silent.'), { name: 'AbortError' })),
    })
    const signal = AbortSignal.any([world.signal, silent.signal])
    const loop = converse(
      {
        agent: {
          name,
          system: subagentPrompt(type.prompt, world),
          model: model === undefined ? home.model : await home.modelFor(chosen(model)),
          tools: around?.tools(offered) ?? offered,
          maxOutput: home.maxOutput,
          limits: home.limits,
        },
        transcript,
        used: home.run.used,
        order: home.model.order,
        memory: {
          keep: world.outputs.keep,
          situation: async () =>
            `You are ${name}, an agent of type ${type.name}, sent out by ${home.name}. Your errand, as it was given to you:\n${prompt}`,
        },
        listen: async () => asked.shift() ?? more(),
        acknowledge: async () => {},
        account: home.account,
        mayDo: around?.mayDo(permits.mayDo) ?? permits.mayDo,
        worldOf: (call, signal, progress) => ({
          ...world,
          agent: name,
          call: call.toolCallId,
          signal,
          reads,
          forbids: permits.forbids,
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
        if (event.type === 'called') world.onTool()
        home.run.tell({ ...event, agent: name, parent: world.call })
        // Its own limit, from the file of its type: the calls of that last answer are not run.
        if (event.type !== 'answered' || ++turns < (type.maxTurns ?? Number.POSITIVE_INFINITY)) continue
        if (!event.reply.turn.content.some((part) => part.type === 'tool-call')) continue
        await loop.return(undefined as never)
        return { text: '', problem: `it used the ${turns} turns that maxTurns of its agent file gives it` }
      }
      world.signal.throwIfAborted()
      if (!silent.signal.aborted) return endOf(step.value)
      if (!isOwing()) return { text: step.value.text }
      const problem = `its model was silent for ${ANSWER_SILENCE} s, and the run had nothing else to wait for`
      home.run.tell({ type: 'problem', agent: name, text: `${name} was not waited for: ${problem}.` })
      return { text: step.value.text, problem }
    }
  }
}

function said(text: string): News {
  return { turn: userTurn([text]), mail: [], jobs: [], acknowledge: async () => {}, isTrue: async () => {} }
}

function endOf(stop: Stop): SubagentEnd {
  const { text } = stop
  switch (stop.kind) {
    case 'finished':
      return { text }
    case 'limit':
      return { text, problem: limitWords(stop) }
    case 'budget':
      return { text, problem: 'the budget of this run is used up' }
    case 'aborted':
      return { text, problem: 'it was stopped' }
    case 'error':
      return { text, problem: stop.error.message }
  }
}
