import { resolve } from 'node:path'
import type { z } from 'zod'
import { type Model, ModelFailure } from './model.ts'
import { fullName } from './model-names.ts'
import { listedPricing, type Pricing, UNKNOWN_PRICING } from './prices.ts'
import { modelFrom } from './providers/model-from.ts'
import { openKind } from './providers/provider-kinds.ts'
import { findProvider, hasKey } from './providers/providers.ts'
import { withRetries } from './retry.ts'
import { type ModelServices, systemServices } from './services.ts'
import { ModelSettings } from './settings.ts'
import { isTextOnly } from './text-only.ts'
import { type Env, proxyVariable } from './transport/connections.ts'
import { createFetch, DEFAULT_TIMEOUTS } from './transport/fetch.ts'

/**
 * The model a user named: `anthropic/claude-sonnet-5`, `sonnet`, `scripted:FILE`, `replay:FILE`. Of several names each is
 * called when those before it have failed. Throws a `ModelFailure` that names the missing setting.
 */
export async function resolveModel(
  names: string | readonly [string, ...string[]],
  env: Env = process.env,
  settings: z.input<typeof ModelSettings> = {},
  services: ModelServices = systemServices,
): Promise<Model> {
  const read = readSettings(settings)
  const [first, ...others] = typeof names === 'string' ? [names] : names
  // A recording contains the outcome of retries; more retries would change its order.
  if (others.length === 0 && first!.startsWith('replay:')) return resolveOne(first!, env, read, services)
  const [main, ...fallbacks] = await Promise.all(
    [first!, ...others].map((name) => resolveOne(name, env, read, services)),
  )
  return withRetries([main!, ...fallbacks], services)
}

async function resolveOne(name: string, env: Env, settings: ModelSettings, services: ModelServices): Promise<Model> {
  const [, scheme, file] = /^(scripted|replay):(.+)$/.exec(name) ?? []
  if (scheme === 'scripted') {
    const { scriptFromFile } = await import('./scripted/script.ts')
    const { scriptedModel } = await import('./scripted/scripted-model.ts')
    return scriptedModel(await scriptFromFile(resolve(file!)), { name, pause: services.pause })
  }
  if (scheme === 'replay') {
    const { replayModel } = await import('./recording/replay.ts')
    return replayModel(resolve(file!), { root: services.root })
  }
  const { name: full } = fullName(name, (provider) => hasKey(provider, env, settings))
  const slash = full.indexOf('/')
  if (slash < 1 || slash === full.length - 1)
    throw new ModelFailure(
      { model: name, fault: 'request' },
      `'${name}' is not a model. Write provider/model, such as anthropic/sonnet, openai/gpt, google/gemini or ollama/qwen3; or scripted:FILE or replay:FILE.`,
    )
  return open(full, name, env, settings, services)
}

/** `asked` is the user's text; settings may use either name. */
async function open(
  name: string,
  asked: string,
  env: Env,
  settings: ModelSettings,
  { clock, startTimer }: ModelServices,
): Promise<Model> {
  const providerName = name.slice(0, name.indexOf('/'))
  const model = name.slice(providerName.length + 1)
  const provider = findProvider(providerName, model, env, settings)
  const setting = settings.models[asked] ?? settings.models[name] ?? {}
  const fetch = createFetch(env, { ...DEFAULT_TIMEOUTS, ...settings.patience }, startTimer)
  const [opened, listed] = await Promise.all([
    openKind[provider.kind]({ ...provider, fetch }, model),
    pricing(provider.prices, model),
  ])
  const price = settings.prices[asked] ?? settings.prices[name]
  return modelFrom(opened.languageModel, {
    name,
    provider: providerName,
    account: provider.account,
    context: setting.context ?? listed.context,
    maxOutput: setting.maxOutput,
    hasBreakpoints: opened.hasBreakpoints,
    images: (setting.images ?? !isTextOnly(model)) ? opened.images : 'nowhere',
    options: withOptions(opened.options, setting.options),
    clock,
    keyVariable: provider.keyVariable,
    proxyVariable: proxyVariable(env, provider.baseUrl),
    // Shorter values are not secrets, and hiding them would make ordinary words unreadable.
    secrets: [provider.key ?? '', ...Object.values(provider.headers)].filter((secret) => secret.length >= 8),
    ...(price === undefined ? { price: listed.price, cost: listed.cost } : { price }),
  })
}

async function pricing(list: string | undefined, model: string): Promise<Pricing> {
  return list === undefined ? UNKNOWN_PRICING : listedPricing(list, model)
}

type Options = NonNullable<Parameters<typeof modelFrom>[1]>['options']

function withOptions(ours: Options, theirs: ModelSettings['models'][string]['options']): Options {
  if (theirs === undefined) return ours
  const all: NonNullable<Options> = { ...ours }
  for (const [provider, options] of Object.entries(theirs))
    all[provider] = { ...all[provider], ...(options as NonNullable<Options>[string]) }
  return all
}

function readSettings(settings: z.input<typeof ModelSettings>): ModelSettings {
  const read = ModelSettings.safeParse(settings)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new ModelFailure(
    { model: '', fault: 'request', cause: read.error },
    `Invalid model settings at '${issue?.path.join('.')}': ${issue?.message}. Correct them in the settings file.`,
  )
}
