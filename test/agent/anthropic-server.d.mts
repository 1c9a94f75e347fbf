import type { AnthropicBody } from './cached-share.mjs'

/** See `anthropic-server.mjs`. */
export function startAnthropicServer(): Promise<
  AsyncDisposable & { readonly url: string; readonly bodies: readonly AnthropicBody[] }
>
