import { readFile } from 'node:fs/promises'
import { systemClock } from '../../journal/clock.ts'
import { type Model, ModelFailure, type ModelFault } from '../model.ts'
import { CallLine, ModelLine, type RecordedCall, type RecordedModel, type RecordedStep, StepLine } from './format.ts'
import { createNormaliser, type NormalTurn } from './normalise.ts'
import type { RecordingOptions } from './record.ts'
import { answerOf, replayOrder } from './replay-order.ts'

/**
 * Answers as recorded, each agent's requests in order, and makes a session take its steps in the recorded order. A request
 * that differs from the recorded one is a failure that says where.
 */
export async function replayModel(path: string, { root }: RecordingOptions = {}): Promise<Model> {
  const { about, calls, names } = await readRecording(path)
  // A recording of version 1 has no steps, so they happen in any order.
  const order = about.v === 1 ? undefined : replayOrder(names, systemClock)
  const agents = new Map<string, AgentCalls>()

  return {
    name: about.model,
    provider: about.provider,
    account: 'replay',
    context: about.context,
    price: about.price,
    order,
    async *reply(request, signal) {
      const { agent } = request
      let player = agents.get(agent)
      if (player === undefined) {
        const own = calls.filter((call) => call.agent === agent)
        player = { own, at: 0, turns: [], normalise: createNormaliser(root) }
        agents.set(agent, player)
      }
      const call = player.own[player.at]
      if (!call?.interrupted) signal.throwIfAborted()
      if (call === undefined) throw failed(noMoreAnswers(path, agent, player.own.length))
      const { system, tools, from, turns } = call.request
      const recorded = { system, tools, turns: [...player.turns.slice(0, from), ...turns] }
      const difference = firstDifference(recorded, player.normalise(request))
      if (difference) throw failed(differentRequest(path, agent, player.at + 1, show(difference)))
      player.turns = recorded.turns
      player.at++
      for (const event of call.events) {
        signal.throwIfAborted()
        yield event
      }
      if (call.interrupted) {
        await order?.interrupted(signal)
        throw failed(notInterrupted(path, agent, player.at))
      }
      await order?.answer(agent)
      if (call.reply) return call.reply
      const { fault, message, emitted } = call.failure!
      throw new ModelFailure({ model: about.model, fault: fault as ModelFault, emitted }, message)
    },
  }

  /** The run differs from the recorded one, so its steps are released from the recorded order. */
  function failed(text: string): ModelFailure {
    const before = order?.released
    order?.release(text)
    const why =
      before === undefined || before === 'there is no session'
        ? ''
        : `\nBefore that, the run left the recorded order: ${before}.`
    return new ModelFailure({ model: about.model, fault: 'script' }, `${text}${why}`)
  }
}

/** The recorded calls of one agent. */
interface AgentCalls {
  readonly own: readonly RecordedCall[]
  readonly normalise: ReturnType<typeof createNormaliser>
  at: number
  turns: readonly NormalTurn[]
}

interface Recording {
  readonly about: RecordedModel
  readonly calls: readonly RecordedCall[]
  /** Names of steps and answers, in order. */
  readonly names: readonly string[]
}

async function readRecording(path: string): Promise<Recording> {
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new ModelFailure(
      { model: `replay:${path}`, fault: 'script', cause },
      `Cannot read the recording ${path}: ${cause.message}. Name a file written by --record.`,
    )
  })
  // The last line may be incomplete because its process was stopped.
  const lines = text.split('\n').slice(0, -1)
  const [about, ...rest] = lines.map((line, at) => {
    try {
      const value: unknown = JSON.parse(line)
      if (at === 0) return ModelLine.parse(value)
      return StepLine.safeParse(value).data ?? CallLine.parse(value)
    } catch (cause) {
      throw new ModelFailure(
        { model: `replay:${path}`, fault: 'script', cause },
        `${path}, line ${at + 1} is not a line of a recording. Record the run again.`,
      )
    }
  })
  if (about === undefined)
    throw new ModelFailure(
      { model: `replay:${path}`, fault: 'script' },
      `The recording ${path} is empty. Record the run again.`,
    )
  const happened = rest as unknown as readonly (RecordedCall | RecordedStep)[]
  return {
    about: about as unknown as RecordedModel,
    calls: happened.filter((one) => 'agent' in one),
    names: happened.flatMap((one) => ('step' in one ? one.step : one.interrupted ? [] : answerOf(one.agent))),
  }
}

function noMoreAnswers(path: string, agent: string, count: number): string {
  return `${agent} asks for answer ${count + 1}, but ${path} contains only ${count} for it. This run continues where the recorded one ended; record it again.`
}

function notInterrupted(path: string, agent: string, number: number): string {
  return `Request ${number} of ${agent} was interrupted in ${path} and is not interrupted now. Record the run again.`
}

function differentRequest(path: string, agent: string, number: number, difference: string): string {
  return `Request ${number} of ${agent} differs from ${path} ${difference}\nIf the change is intended, record the run again.`
}

/** The place where two JSON values differ, and what each has there. */
interface Difference {
  readonly path: string
  readonly recorded: unknown
  readonly asked: unknown
}

/** The first difference in document order; undefined if there is none. */
function firstDifference(recorded: unknown, asked: unknown, path = ''): Difference | undefined {
  if (Object.is(recorded, asked)) return undefined
  if (!isCompound(recorded) || !isCompound(asked) || Array.isArray(recorded) !== Array.isArray(asked))
    return { path, recorded, asked }
  const keys = new Set([...Object.keys(recorded), ...Object.keys(asked)])
  for (const key of keys) {
    const at = Array.isArray(recorded) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
    const found = firstDifference(recorded[key], asked[key], at)
    if (found) return found
  }
  return undefined
}

/** Both values; long texts from shortly before the difference. */
export function show({ path, recorded, asked }: Difference): string {
  if (typeof recorded !== 'string' || typeof asked !== 'string')
    return `at ${path}\n  recorded: ${brief(recorded)}\n  asked:    ${brief(asked)}`
  let same = 0
  while (same < recorded.length && recorded[same] === asked[same]) same++
  const from = Math.max(0, same - 30)
  const piece = (text: string) => JSON.stringify(`${from > 0 ? '…' : ''}${text.slice(from, same + 120)}`)
  return `at ${path}, character ${same + 1}\n  recorded: ${piece(recorded)}\n  asked:    ${piece(asked)}`
}

function isCompound(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function brief(value: unknown): string {
  if (value === undefined) return '(nothing)'
  const text = JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
