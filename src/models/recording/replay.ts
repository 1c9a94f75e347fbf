import { readFile } from 'node:fs/promises'
import { type Model, ModelFailure, type ModelFault } from '../../ports/model.ts'
import { firstDifference, show } from './difference.ts'
import { CallLine, ModelLine, type RecordedCall, type RecordedModel } from './format.ts'
import { createNormaliser, type NormalTurn } from './normalise.ts'
import type { RecordingOptions } from './record.ts'

/**
 * Answers as recorded, each agent's requests in their order. A request that is not what was recorded is a failure that
 * says where they part.
 */
export async function replayModel(path: string, { root }: RecordingOptions = {}): Promise<Model> {
  const { about, calls } = await readRecording(path)
  const agents = new Map<string, Player>()

  return {
    name: about.model,
    provider: about.provider,
    account: 'replay',
    context: about.context,
    price: about.price,
    async *reply(request, signal) {
      signal.throwIfAborted()
      const { agent } = request
      let player = agents.get(agent)
      if (player === undefined) {
        const own = calls.filter((call) => call.agent === agent)
        player = { own, at: 0, turns: [], normalise: createNormaliser(root) }
        agents.set(agent, player)
      }
      const call = player.own[player.at]
      if (call === undefined) throw failure(about, theEnd(path, agent, player.own.length))
      const { system, tools, from, turns } = call.request
      const recorded = { system, tools, turns: [...player.turns.slice(0, from), ...turns] }
      const difference = firstDifference(recorded, player.normalise(request))
      if (difference) throw failure(about, otherwise(path, agent, player.at + 1, show(difference)))
      player.turns = recorded.turns
      player.at++
      for (const event of call.events) {
        signal.throwIfAborted()
        yield event
      }
      if (call.reply) return call.reply
      const { fault, message, emitted } = call.failure!
      throw new ModelFailure({ model: about.model, fault: fault as ModelFault, emitted }, message)
    },
  }
}

/** What one agent has left to say. */
interface Player {
  readonly own: readonly RecordedCall[]
  readonly normalise: ReturnType<typeof createNormaliser>
  at: number
  turns: readonly NormalTurn[]
}

async function readRecording(path: string): Promise<{ about: RecordedModel; calls: RecordedCall[] }> {
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new ModelFailure(
      { model: `replay:${path}`, fault: 'script', cause },
      `Cannot read the recording ${path}: ${cause.message}. Name a file that --record has written.`,
    )
  })
  // The last line may be torn: its writer was stopped.
  const lines = text.split('\n').slice(0, -1)
  const [about, ...calls] = lines.map((line, at) => {
    try {
      const value: unknown = JSON.parse(line)
      return at === 0 ? ModelLine.parse(value) : CallLine.parse(value)
    } catch (cause) {
      throw new ModelFailure(
        { model: `replay:${path}`, fault: 'script', cause },
        `${path}, line ${at + 1} is no line of a recording. Record it again.`,
      )
    }
  })
  if (about === undefined)
    throw new ModelFailure({ model: `replay:${path}`, fault: 'script' }, `${path} holds no recording; it is empty.`)
  return { about: about as unknown as RecordedModel, calls: calls as unknown as RecordedCall[] }
}

function failure({ model }: RecordedModel, text: string): ModelFailure {
  return new ModelFailure({ model, fault: 'script' }, text)
}

function theEnd(path: string, agent: string, count: number): string {
  return `${agent} asks for answer ${count + 1}, but ${path} holds only ${count} for it. This run goes on where the recorded one ended; record it again.`
}

function otherwise(path: string, agent: string, number: number, difference: string): string {
  return `Request ${number} of ${agent} is not the one in ${path}: they differ ${difference}\nIf the change is wanted, record the run again.`
}
