import { resolve as resolvePath } from 'node:path'
import type { Model } from '../models/model.ts'
import { fullName, isModelFile } from '../models/model-names.ts'
import { hasKey, usualModel } from '../models/providers/providers.ts'
import { openRecording } from '../models/recording/record.ts'
import { resolveModel } from '../models/resolve-model.ts'
import { systemServices } from '../models/services.ts'
import type { Settings } from '../settings/settings.ts'
import { TeamError } from '../team/errors.ts'

/** The models of a session: the lead's, and others by name for teammates and subagents. */
export interface ModelChoice {
  readonly model: Model
  modelFor(name: string): Promise<Model>
  /** Price and budget, to show before the first call; undefined where no call costs money. */
  readonly notice: string | undefined
}

export interface ModelChoiceOptions {
  readonly settings: Settings
  readonly env: NodeJS.ProcessEnv
  readonly root: string
  readonly cwd: string
  readonly maxBudgetUsd?: number | undefined
  /** A file, as seen from `cwd`, that receives every request and answer. */
  readonly record?: string | undefined
  readonly warn: (message: string) => void
}

/** Resolves the models that settings, keys and flags name. With a budget, a model without a known price is an error. */
export async function chooseModel(options: ModelChoiceOptions): Promise<ModelChoice> {
  const { settings, env, root, cwd, maxBudgetUsd, record, warn } = options
  const { providers, prices, models, patience } = settings
  const about = { providers, prices, models, patience }
  const world = { ...systemServices, root }
  const resolve = (names: string | readonly [string, ...string[]]) => resolveModel(names, env, about, world)
  const [first, ...others] = [settings.model ?? usualModel(env, settings), ...(settings.fallbackModels ?? [])]
  const names = [fileFrom(cwd, first!), ...others.map((name) => fileFrom(cwd, name))] as const
  const chain = await resolve(names)
  if (maxBudgetUsd !== undefined)
    for (const name of names) if ((await resolve(name)).price === undefined) throw new UnknownPrice(name)

  const warned = new Set<string>()
  const recorded = record === undefined ? undefined : openRecording(resolvePath(cwd, record), chain, { root })
  return {
    model: recorded?.(chain) ?? chain,
    async modelFor(name) {
      // A recording holds the answers of every agent, whichever model it used: no other model is called or paid.
      if (names[0].startsWith('replay:')) return chain
      // An agent file may name a model family without a key. The session's own model does the work then.
      const named = fullName(name, (provider) => hasKey(provider, env, settings))
      if (named.isAlias && !hasKey(named.name.split('/')[0]!, env, settings)) {
        if (!warned.has(name)) warn(`There is no key for ${named.name} (${name}); using ${chain.name} instead.`)
        warned.add(name)
        return recorded?.(chain) ?? chain
      }
      const model = await resolve(name)
      if (maxBudgetUsd !== undefined && model.price === undefined) throw new UnknownPrice(name)
      return recorded?.(model) ?? model
    },
    notice: names.every(isModelFile) ? undefined : noticeOf(chain, maxBudgetUsd),
  }
}

/** Script and recording files are named relative to `cwd`, which --cwd may have changed. */
function fileFrom(cwd: string, name: string): string {
  const [, scheme, file] = /^(scripted|replay):(.+)$/.exec(name) ?? []
  return file === undefined || cwd === process.cwd() ? name : `${scheme}:${resolvePath(cwd, file)}`
}

function noticeOf({ name, price }: Model, budget: number | undefined): string {
  const cost = price
    ? `$${price.input} in and $${price.output} out per million tokens`
    : 'price unknown (add it to the settings: prices)'
  return `${name}: ${cost}; ${budget === undefined ? 'no budget (--max-budget-usd)' : `budget $${budget}`}`
}

class UnknownPrice extends TeamError {
  readonly code = 'misused'
  constructor(model: string) {
    const example = JSON.stringify({ prices: { [model]: { input: 3, output: 15 } } })
    super(
      `The price of ${model} is unknown, so --max-budget-usd cannot be enforced. Add the price, in US dollars per million tokens, to ~/.config/deskmates/settings.json: ${example}`,
    )
  }
}
