import type { LanguageModelV3CallOptions, LanguageModelV3StreamPart } from '@ai-sdk/provider'

/**
 * A model object of the AI SDK's provider packages, interface version 3 or 4, as far as we use it. Version 4 needs a newer
 * Node than we do, so its types are not available.
 */
export interface LanguageModel {
  readonly specificationVersion: 'v3' | 'v4'
  readonly provider: string
  readonly modelId: string
  doStream(options: never): PromiseLike<StreamResult>
}

export interface StreamResult {
  readonly stream: ReadableStream<{ type: string }>
  readonly response?: { readonly headers?: Readonly<Record<string, string | undefined>> }
}

export type CallOptions = LanguageModelV3CallOptions

/** The parts of version 3. Version 4 adds parts, which we ignore, and has another format for the data of files. */
export type StreamPart =
  | Exclude<LanguageModelV3StreamPart, { type: 'file' }>
  | (Omit<Extract<LanguageModelV3StreamPart, { type: 'file' }>, 'data'> & {
      data: string | Uint8Array | { data?: string | Uint8Array }
    })
