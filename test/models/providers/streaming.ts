import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider'

/** A part of a stream as a provider package sends it; unknown ones too. */
export interface Part {
  readonly type: string
  readonly [key: string]: unknown
}

export interface Streaming extends LanguageModelV3 {
  readonly calls: readonly LanguageModelV3CallOptions[]
}

/** A model object as a provider package makes it. Each call streams the next of the lists, the last one for ever. */
export function streaming(...answers: readonly (readonly Part[])[]): Streaming {
  const calls: LanguageModelV3CallOptions[] = []
  return {
    specificationVersion: 'v3',
    provider: 'fake.chat',
    modelId: 'one',
    supportedUrls: {},
    calls,
    doGenerate: () => Promise.reject(new Error('This model only streams: doGenerate is not supported.')),
    async doStream(options) {
      const parts = answers[Math.min(calls.length, answers.length - 1)] ?? []
      calls.push(options)
      const stream = new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part)
          controller.close()
        },
      })
      return { stream }
    },
  }
}

export function text(...pieces: readonly string[]): Part[] {
  return [
    { type: 'text-start', id: '0' },
    ...pieces.map((delta) => ({ type: 'text-delta', id: '0', delta })),
    { type: 'text-end', id: '0' },
  ]
}

export function finish(unified: string, raw: string | undefined = unified): Part {
  const inputTokens = { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 }
  return {
    type: 'finish',
    finishReason: { unified, raw },
    usage: { inputTokens, outputTokens: { total: 5, text: 5, reasoning: 0 } },
  }
}
