import type { Model, ModelEvent, ModelRequest, Reply } from '../../src/models/model.ts'
import { createRateLimiter } from '../../src/models/rate-limits/rate-limiter.ts'
import { resolveModel } from '../../src/models/resolve-model.ts'
import type { ModelServices } from '../../src/models/services.ts'
import { type ManualClock, manualClock } from '../../src/testing/manual-clock.ts'
import type { Format } from './providers/formats.ts'

export interface TestServices extends ModelServices {
  readonly clock: ManualClock
  /** Seconds of every pause, in order. */
  readonly pauses: readonly number[]
  /** Fires every running timer. */
  fireTimers(): void
}

/** Services whose pauses end at once and move the clock by their length. */
export function instantServices(): TestServices {
  const clock = manualClock()
  const pauses: number[] = []
  const pause = async (seconds: number, signal: AbortSignal) => {
    signal.throwIfAborted()
    pauses.push(seconds)
    await Promise.resolve()
    clock.advance(seconds)
  }
  const timers = new Set<() => void>()
  return {
    clock,
    pauses,
    pause,
    random: () => 0.5,
    rateLimiter: createRateLimiter(clock, pause),
    startTimer: (_seconds, fire) => {
      timers.add(fire)
      return { refresh: () => {}, stop: () => void timers.delete(fire) }
    },
    fireTimers() {
      for (const fire of [...timers]) fire()
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

/** The model of this format at a test server. */
export function modelAt(format: Format, url: string, services: ModelServices): Promise<Model> {
  const provider = format.model.split('/')[0]!
  return resolveModel(format.model, format.env(url), { providers: { [provider]: { baseUrl: url } } }, services)
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
