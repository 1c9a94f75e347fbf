import type { ProviderKind } from '../settings.ts'
import type { LanguageModel } from './language-model.ts'
import type { ModelOptions } from './model-from.ts'
import type { Provider } from './providers.ts'

/** What a provider package needs to call a provider. */
interface ProviderAccess extends Pick<Provider, 'name' | 'baseUrl' | 'isVendor' | 'key' | 'isToken' | 'headers'> {
  readonly fetch: typeof globalThis.fetch
}

export interface Opened extends Pick<ModelOptions, 'options' | 'hasBreakpoints' | 'images'> {
  readonly languageModel: LanguageModel
}

/** Creates a model of each kind of provider. A package is loaded with its first model. */
export const openKind: Record<ProviderKind, (access: ProviderAccess, model: string) => Promise<Opened>> = {
  async anthropic({ baseUrl, key = '', isToken, headers, fetch, isVendor }, model) {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    const access = isToken ? { authToken: key } : { apiKey: key }
    return {
      languageModel: createAnthropic({ baseURL: baseUrl, ...access, headers, fetch })(model),
      hasBreakpoints: true,
      // Compatible servers refuse the fields that streaming of tool inputs adds to the request.
      options: isVendor ? undefined : { anthropic: { toolStreaming: false } },
    }
  },
  async openai({ baseUrl, key = '', headers, fetch }, model) {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return {
      languageModel: createOpenAI({ baseURL: baseUrl, apiKey: key, headers, fetch }).responses(model),
      // The provider stores nothing: the transcript contains the whole conversation, encrypted reasoning included.
      options: { openai: { store: false } },
    }
  },
  async 'openai-chat'({ baseUrl, key = '', headers, fetch }, model) {
    const { createOpenAI } = await import('@ai-sdk/openai')
    const languageModel = createOpenAI({ baseURL: baseUrl, apiKey: key, headers, fetch }).chat(model)
    return { languageModel, images: 'user turns' }
  },
  async google({ baseUrl, key = '', headers, fetch }, model) {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    return { languageModel: createGoogleGenerativeAI({ baseURL: baseUrl, apiKey: key, headers, fetch })(model) }
  },
  async compatible({ name, baseUrl, key, headers, fetch }, model) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const settings = { name, baseURL: baseUrl, headers, fetch, includeUsage: true, ...(key && { apiKey: key }) }
    return { languageModel: createOpenAICompatible(settings)(model), images: 'user turns' }
  },
}
