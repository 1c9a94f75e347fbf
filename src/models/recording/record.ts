import { appendFileSync, writeFileSync } from 'node:fs'
import { type Model, type ModelEvent, ModelFailure, type ModelRequest, type Reply, type Turn } from '../model.ts'
import { type RecordedCall, type RecordedModel, type RecordedStep, VERSION } from './format.ts'
import { createNormaliser } from './normalise.ts'
import { recordOrder } from './record-order.ts'

export interface RecordingOptions {
  /** The workspace folder, which differs between machines. */
  readonly root?: string
}

/** The same model, with all requests and answers written to a new file, for `replayModel`. */
export function recordModel(model: Model, path: string, options: RecordingOptions = {}): Model {
  return openRecording(path, model, options)(model)
}

/** Creates a recording of the main model and returns a function that records any model of the run into it. */
export function openRecording(path: string, main: Model, { root }: RecordingOptions = {}): (model: Model) => Model {
  const { name, provider, context, price } = main
  createFile(path, { v: VERSION, model: name, provider, context, price })
  const agents = new Map<string, ReturnType<typeof createAgent>>()
  const order = recordOrder((step) => appendFileSync(path, line({ step })))

  function createAgent() {
    const normalise = createNormaliser(root)
    let before: readonly Turn[] = []
    return (request: ModelRequest): RecordedCall['request'] => {
      const { system, tools, turns } = normalise(request)
      const from = request.turns.findIndex((turn, at) => turn !== before[at])
      const known = from === -1 ? request.turns.length : from
      before = [...request.turns]
      return { system, tools, from: known, turns: turns.slice(known) }
    }
  }

  return (model) => ({
    name: model.name,
    provider: model.provider,
    account: model.account,
    context: model.context,
    acceptsImages: model.acceptsImages,
    price: model.price,
    order,
    async *reply(request, signal): AsyncGenerator<ModelEvent, Reply> {
      let agent = agents.get(request.agent)
      if (agent === undefined) {
        agent = createAgent()
        agents.set(request.agent, agent)
      }
      const asked = agent(request)
      const events: ModelEvent[] = []
      const write = (outcome: Pick<RecordedCall, 'reply' | 'failure' | 'interrupted'>) =>
        appendFileSync(path, line({ agent: request.agent, request: asked, events, ...outcome }))
      const answer = model.reply(request, signal)
      try {
        while (true) {
          const step = await answer.next()
          if (step.done) {
            write({ reply: step.value })
            return step.value
          }
          if (step.value.type !== 'waiting' && step.value.type !== 'limits') events.push(step.value)
          yield step.value
        }
      } catch (error) {
        if (error instanceof ModelFailure) write({ failure: partsOf(error) })
        else if (signal.aborted) write({ interrupted: true })
        throw error
      } finally {
        await answer.return(undefined as never)
      }
    },
  })
}

function createFile(path: string, about: RecordedModel): void {
  try {
    // Only the owner may read conversations, and an existing recording is never overwritten.
    writeFileSync(path, line(about), { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    const isThere = cause instanceof Error && (cause as NodeJS.ErrnoException).code === 'EEXIST'
    const what = isThere
      ? 'the file exists. Name another file, or delete it'
      : `${cause instanceof Error ? cause.message : cause}. Name a new file in an existing folder that you may write to`
    throw new ModelFailure({ model: about.model, fault: 'script', cause }, `Cannot record to ${path}: ${what}.`)
  }
}

function partsOf({ fault, message, emitted }: ModelFailure) {
  return { fault, message, emitted }
}

function line(value: RecordedModel | RecordedCall | RecordedStep): string {
  return `${JSON.stringify(value)}\n`
}
