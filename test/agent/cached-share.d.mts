/** See `cached-share.mjs`. */
export interface CachedRequest {
  readonly body: AnthropicBody
  readonly conversation: string
  readonly bytes: number
  /** Of the previous request of the conversation; 0 if it is the first. */
  readonly previousBytes: number
  readonly cachedBytes: number
  readonly breakpoints: number
}

export interface AnthropicBody {
  readonly tools: readonly object[]
  readonly system: readonly object[]
  readonly messages: readonly { readonly role: string; readonly content: readonly object[] }[]
}

export function cachedShare(bodies: readonly AnthropicBody[]): {
  readonly requests: readonly CachedRequest[]
  readonly bytes: number
  readonly cachedBytes: number
}
