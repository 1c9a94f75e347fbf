import { resolve as resolvePath } from 'node:path'
import type { Model } from '../../models/model.ts'
import { fullName } from '../../models/model-names.ts'
import { hasKey, usualModel } from '../../models/providers.ts'
import { openRecording } from '../../models/recording/record.ts'
import { resolveModel } from '../../models/resolve-model.ts'
import { systemWorld } from '../../models/world.ts'
import type { Settings } from '../../settings/settings.ts'
import { Misused } from '../failure.ts'
import type { RunOptions } from './options.ts'

export interface Chosen {
  readonly model: Model
  modelFor(name: string): Promise<Model>
  /** What a person should know before it costs anything; undefined where it costs nothing. */
  readonly notice: string | undefined
}

export async function chooseModel(
  { maxBudgetUsd, record }: RunOptions,
  settings: Settings,
  env: NodeJS.ProcessEnv,
  { root, cwd, warn }: { readonly root: string; readonly cwd: string; readonly warn: (message: string) => void },
): Promise<Chosen> {
  const { providers, prices, models, patience } = settings
  const about = { providers, prices, models, patience }
  const world = { ...systemWorld, root }
  const resolve = (names: string | readonly [string, ...string[]]) => resolveModel(names, env, about, world)
  const [first, ...others] = [settings.model ?? usualModel(env, settings), ...(settings.fallbackModels ?? [])]
  const names = [fileFrom(cwd, first!), ...others.map((name) => fileFrom(cwd, name))] as const
  const chain = await resolve(names)
  if (maxBudgetUsd !== undefined)
    for (const name of names) if ((await resolve(name)).price === undefined) throw noPrice(name)

  const warned = new Set<string>()
  const isRecorded = /^(scripted|replay):/
  const recorded = record === undefined ? undefined : openRecording(resolvePath(cwd, record), chain, { root })
  return {
    model: recorded?.(chain) ?? chain,
    async modelFor(name) {
      // A recording holds what each agent was answered, whichever model it had: nobody else is asked, or paid.
      if (names[0].startsWith('replay:')) return chain
      // An agent file names a family; where no provider of it has a key, the work is still to be done.
      const named = fullName(name, (provider) => hasKey(provider, env, settings))
      if (named.isAlias && !hasKey(named.name.split('/')[0]!, env, settings)) {
        if (!warned.has(name)) warn(`There is no key for ${named.name} (${name}); ${chain.name} is used in its place.`)
        warned.add(name)
        return recorded?.(chain) ?? chain
      }
      const model = await resolve(name)
      if (maxBudgetUsd !== undefined && model.price === undefined) throw noPrice(name)
      return recorded?.(model) ?? model
    },
    notice: names.every((name) => isRecorded.test(name)) ? undefined : noticeOf(chain, maxBudgetUsd),
  }
}

/** Files are named as seen from where the command runs, which --cwd may have moved. */
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

function noPrice(model: string): Misused {
  const example = JSON.stringify({ prices: { [model]: { input: 3, output: 15 } } })
  return new Misused(
    `The price of ${model} is not known, so --max-budget-usd cannot be kept. Add it, in US dollars per million tokens, to ~/.config/deskmates/settings.json: ${example}`,
  )
}
