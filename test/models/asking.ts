import { createGovernor } from '../../src/models/governor.ts'
import type { Model, ModelEvent, ModelRequest, Reply } from '../../src/models/model.ts'
import { resolveModel } from '../../src/models/resolve-model.ts'
import type { ModelWorld } from '../../src/models/world.ts'
import { type ManualClock, manualClock } from '../../src/testing/manual-clock.ts'
import type { Format } from './formats.ts'

export interface TestWorld extends ModelWorld {
  readonly clock: ManualClock
  /** How long somebody waited, in seconds, one after the other. */
  readonly pauses: readonly number[]
  /** Lets every time-out that somebody waits for run out. */
  ringAll(): void
}

/** Time that passes at once: whoever waits is told that it is over, and the clock has moved. */
export function instantWorld(): TestWorld {
  const clock = manualClock()
  const pauses: number[] = []
  const pause = async (seconds: number, signal: AbortSignal) => {
    signal.throwIfAborted()
    pauses.push(seconds)
    await Promise.resolve()
    clock.advance(seconds)
  }
  const alarms = new Set<() => void>()
  return {
    clock,
    pauses,
    pause,
    random: () => 0.5,
    governor: createGovernor(clock, pause),
    startTimer: (_seconds, ring) => {
      alarms.add(ring)
      return { refresh: () => {}, stop: () => void alarms.delete(ring) }
    },
    ringAll() {
      for (const ring of [...alarms]) ring()
    },
  }
}

export const request: ModelRequest = {
  agent: 'lead',
  system: 'You are the lead.',
  turns: [{ role: 'user', content: [{ type: 'text', text: 'Read a.txt' }] }],
  tools: [
    {
      name: 'read_file',
      description: 'Reads a file.',
      schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  ],
}

/** The model of a format at a server of ours. */
export function modelAt(format: Format, url: string, world: ModelWorld): Promise<Model> {
  const provider = format.model.split('/')[0]!
  return resolveModel(format.model, format.env(url), { providers: { [provider]: { baseUrl: url } } }, world)
}

export interface Outcome {
  readonly events: ModelEvent[]
  readonly reply?: Reply
  readonly error?: unknown
}

export async function ask(
  model: Model,
  asked = request,
  { signal = new AbortController().signal, seen = (_event: ModelEvent) => {} } = {},
): Promise<Outcome> {
  const events: ModelEvent[] = []
  const answer = model.reply(asked, signal)
  try {
    for (let step = await answer.next(); ; step = await answer.next()) {
      if (step.done) return { events, reply: step.value }
      events.push(step.value)
      seen(step.value)
    }
  } catch (error) {
    return { events, error }
  }
}

export function shownText(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.delta : '')).join('')
}
