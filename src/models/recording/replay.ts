import { readFile } from 'node:fs/promises'
import { systemClock } from '../../journal/clock.ts'
import { type Model, ModelFailure, type ModelFault } from '../model.ts'
import { firstDifference, show } from './difference.ts'
import { CallLine, ModelLine, type RecordedCall, type RecordedModel, type RecordedStep, StepLine } from './format.ts'
import { createNormaliser, type NormalTurn } from './normalise.ts'
import type { RecordingOptions } from './record.ts'
import { answerOf, replayOrder } from './replay-order.ts'

/**
 * Answers as recorded, each agent's requests in their order, and lets a session take its steps in the recorded order. A
 * request that is not what was recorded is a failure that says where they part.
 */
export async function replayModel(path: string, { root }: RecordingOptions = {}): Promise<Model> {
  const { about, calls, names } = await readRecording(path)
  // A recording of version 1 has no steps: whatever its agents shared happens in any order.
  const order = about.v === 1 ? undefined : replayOrder(names, systemClock)
  const agents = new Map<string, Player>()

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
      if (call === undefined) throw failed(theEnd(path, agent, player.own.length))
      const { system, tools, from, turns } = call.request
      const recorded = { system, tools, turns: [...player.turns.slice(0, from), ...turns] }
      const difference = firstDifference(recorded, player.normalise(request))
      if (difference) throw failed(otherwise(path, agent, player.at + 1, show(difference)))
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

  /** This run is not the recorded one, so its steps have no order to keep. */
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

/** What one agent has left to say. */
interface Player {
  readonly own: readonly RecordedCall[]
  readonly normalise: ReturnType<typeof createNormaliser>
  at: number
  turns: readonly NormalTurn[]
}

interface Recording {
  readonly about: RecordedModel
  readonly calls: readonly RecordedCall[]
  /** Names of steps and answers, in their order. */
  readonly names: readonly string[]
}

async function readRecording(path: string): Promise<Recording> {
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new ModelFailure(
      { model: `replay:${path}`, fault: 'script', cause },
      `Cannot read the recording ${path}: ${cause.message}. Name a file that --record has written.`,
    )
  })
  // The last line may be torn: its writer was stopped.
  const lines = text.split('\n').slice(0, -1)
  const [about, ...rest] = lines.map((line, at) => {
    try {
      const value: unknown = JSON.parse(line)
      if (at === 0) return ModelLine.parse(value)
      return StepLine.safeParse(value).data ?? CallLine.parse(value)
    } catch (cause) {
      throw new ModelFailure(
        { model: `replay:${path}`, fault: 'script', cause },
        `${path}, line ${at + 1} is no line of a recording. Record it again.`,
      )
    }
  })
  if (about === undefined)
    throw new ModelFailure({ model: `replay:${path}`, fault: 'script' }, `${path} holds no recording; it is empty.`)
  const happened = rest as unknown as readonly (RecordedCall | RecordedStep)[]
  return {
    about: about as unknown as RecordedModel,
    calls: happened.filter((one) => 'agent' in one),
    names: happened.flatMap((one) => ('step' in one ? one.step : one.interrupted ? [] : answerOf(one.agent))),
  }
}

function theEnd(path: string, agent: string, count: number): string {
  return `${agent} asks for answer ${count + 1}, but ${path} holds only ${count} for it. This run goes on where the recorded one ended; record it again.`
}

function notInterrupted(path: string, agent: string, number: number): string {
  return `Request ${number} of ${agent} was interrupted in ${path}, and now it is not. Record the run again.`
}

function otherwise(path: string, agent: string, number: number, difference: string): string {
  return `Request ${number} of ${agent} is not the one in ${path}: they differ ${difference}\nIf the change is wanted, record the run again.`
}
