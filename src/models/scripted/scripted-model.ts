import {
  type AssistantTurn,
  type Model,
  type ModelEvent,
  ModelFailure,
  type ModelRequest,
  type Turn,
} from '../model.ts'
import { costOf } from '../prices.ts'
import { type Pause, systemPause } from '../timers.ts'
import { type Asked, askedIn, objection } from './conversation.ts'
import { Answer, type Part, Script } from './script.ts'

export interface ScriptedOptions {
  readonly name?: string
  readonly pause?: Pause
}

/** A model that answers by a script: no key, no network, the same every time. */
export function scriptedModel(script: Script, { name = 'scripted', pause = systemPause }: ScriptedOptions = {}): Model {
  const { parts, context, price } = readScript(script, name)
  const used = new Map<Part, number>()

  async function pick(request: ModelRequest, signal: AbortSignal): Promise<Answer> {
    const asked = askedIn(request)
    const part = parts.find((one) => mismatch(one, asked, request) === undefined)
    if (part === undefined) throw noAnswer(asked, request)
    used.set(part, (used.get(part) ?? 0) + 1)
    return 'compose' in part ? Answer.parse(await part.compose(request, signal)) : part
  }

  function mismatch(part: Part, asked: Asked, request: ModelRequest): string | undefined {
    if (part.agent !== undefined && ![part.agent].flat().includes(asked.agent)) return 'is for other agents'
    if (part.times !== 'always' && (used.get(part) ?? 0) >= part.times) return 'is used up'
    return objection(part.when, asked, request)
  }

  function noAnswer(asked: Asked, request: ModelRequest): ModelFailure {
    const left = parts.flatMap((part, at) => {
      const why = mismatch(part, asked, request)
      return why === 'is for other agents' || why === 'is used up' ? [] : [`  part ${at + 1}: ${why}`]
    })
    const lines = [
      `${name}: the script has no answer for ${asked.agent} (answer ${asked.answer} of its conversation).`,
      `  user: ${quote(asked.user)}`,
      ...asked.results.map(({ tool, text }) => `  result of ${tool}: ${quote(text)}`),
      ...(left.length > 0
        ? ['Unused parts, and why they do not match:', ...left.slice(0, 8)]
        : ['No part for this agent is left.']),
      'Add a matching part to the script, or `"times": "always"` to one that may answer again.',
    ]
    return new ModelFailure({ model: name, fault: 'script' }, lines.join('\n'))
  }

  return {
    name,
    provider: 'scripted',
    account: 'scripted',
    context,
    price,
    async *reply(request, signal) {
      // Yields to the event loop, as every other model does: an endless script must not block the process.
      await new Promise((resolve) => setImmediate(resolve))
      signal.throwIfAborted()
      const answer = await pick(request, signal)
      if (answer.delay > 0) await pause(answer.delay, signal)
      for (const event of eventsOf(answer)) {
        signal.throwIfAborted()
        yield event
        if (answer.pace > 0) await pause(answer.pace, signal)
      }
      signal.throwIfAborted()
      if (answer.error) throw failureOf(answer, name)
      const turn = turnOf(answer, askedIn(request).answer)
      if (turn.content.length === 0)
        throw new ModelFailure(
          { model: name, fault: 'empty' },
          `${name}: the script's answer has neither text nor calls. Add one of them.`,
        )
      const usage = {
        input: estimate(request),
        cacheRead: 0,
        cacheWrite: 0,
        output: tokens(size(turn)),
        ...answer.usage,
      }
      const cost = answer.cost === undefined ? costOf(usage, price) : answer.cost
      return { turn, end: answer.end, usage, cost, model: name }
    },
  }
}

function* eventsOf({ reasoning = '', text = '', calls, chunk }: Answer): Generator<ModelEvent> {
  for (const delta of cut(reasoning, chunk)) yield { type: 'reasoning', delta }
  for (const delta of cut(text, chunk)) yield { type: 'text', delta }
  for (const { tool } of calls) yield { type: 'tool_call', tool }
}

function* cut(text: string, length: number): Generator<string> {
  const characters = [...text]
  for (let at = 0; at < characters.length; at += length) yield characters.slice(at, at + length).join('')
}

function turnOf({ reasoning, text, calls }: Answer, answer: number): AssistantTurn {
  return {
    role: 'assistant',
    content: [
      ...(reasoning ? [{ type: 'reasoning' as const, text: reasoning }] : []),
      ...(text ? [{ type: 'text' as const, text }] : []),
      ...calls.map(({ tool, id, input, malformed }, at) => ({
        type: 'tool-call' as const,
        // The same in every run, and unique in its conversation.
        toolCallId: id ?? `call_${answer}_${at + 1}`,
        toolName: tool,
        input: malformed === undefined ? input : {},
        ...(malformed !== undefined && { providerOptions: { deskmates: { malformedInput: malformed } } }),
      })),
    ],
  }
}

function failureOf({ error, text, reasoning, calls }: Answer, model: string): ModelFailure {
  const { fault, message, retryAfter } = error!
  const emitted = Boolean(text || reasoning || calls.length > 0)
  return new ModelFailure(
    { model, fault, emitted, retryAfter },
    message ?? `${model}: the script fails here with '${fault}'.`,
  )
}

function readScript(script: Script, name: string) {
  const read = Script.safeParse(script)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const text = `${name}: the script is invalid at '${issue?.path.join('.')}': ${issue?.message}. See docs/scripted-model.md.`
  throw new ModelFailure({ model: name, fault: 'script', cause: read.error }, text)
}

function quote(text: string): string {
  return text === '' ? '(nothing new)' : JSON.stringify(text.length > 300 ? `${text.slice(0, 300)}…` : text)
}

function estimate({ system, turns }: ModelRequest): number {
  return tokens(system.length + turns.reduce((sum, turn) => sum + size(turn), 0))
}

function tokens(characters: number): number {
  return Math.ceil(characters / 4)
}

/** Characters of a turn, cached because old turns never change. */
function size(turn: Turn): number {
  let known = sizes.get(turn)
  if (known === undefined) {
    known = JSON.stringify(turn.content).length
    sizes.set(turn, known)
  }
  return known
}

const sizes = new WeakMap<Turn, number>()
