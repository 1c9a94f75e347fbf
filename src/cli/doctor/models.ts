import { connect as connectTcp } from 'node:net'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { fullName, isModelFile } from '../../models/model-names.ts'
import { findProvider, hasKey, keyVariables, knownProviders, usualModel } from '../../models/providers/providers.ts'
import { resolveModel } from '../../models/resolve-model.ts'
import { ModelSettings } from '../../models/settings.ts'
import { proxyVariable } from '../../models/transport/connections.ts'
import { isTrusted } from '../../permissions/trust/folder-trust.ts'
import { loadSettings } from '../../settings/load-settings.ts'
import type { Settings } from '../../settings/settings.ts'
import { openTrust } from '../../stores/files/identity/trust.ts'
import { findRoot } from '../../stores/files/workspace-root.ts'
import { type Examination, fail, notAvailable, pass, why } from './examination.ts'
import type { TestEnvironment } from './test-environment.ts'

/** Seconds in which a connection to the provider has to be there. */
const CONNECT_SECONDS = 5

const NO_KEY =
  'Set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY; a local model needs none: -m ollama/NAME. deskmates demo works without'
const NO_MODEL = notAvailable('no model is named and no key is set', NO_KEY)

/** Which variables hold keys; never what is in them. */
export const keys: Examination = {
  name: 'keys',
  onDisk: false,
  remedy: NO_KEY,
  async examine(environment) {
    const { env } = environment.call
    const { providers = {} } = settingsOf(environment)
    const variables = [...new Set(knownProviders.flatMap(keyVariables))].filter((name) => env[name]?.trim())
    const named = Object.entries(providers).flatMap(([name, { key, keyFrom }]) =>
      key ? [`${name} (in the settings)`] : keyFrom && env[keyFrom]?.trim() ? [`${name} (${keyFrom})`] : [],
    )
    const all = [...variables.map((name) => `${name} (environment)`), ...named]
    return all.length === 0 ? notAvailable('no key is set') : pass(`set: ${all.join(', ')}`)
  },
}

/** The model a run asks when none is named, and whether all it needs is there. Makes no call. */
export const model: Examination = {
  name: 'model',
  onDisk: false,
  remedy: 'Name a model: -m provider/model',
  async examine(environment) {
    const chosen = chosenModel(environment)
    if (!chosen) return NO_MODEL
    const { name, from, settings } = chosen
    if (isModelFile(name)) return pass(`${name} (${from}); needs no network`)
    const { context, price } = await resolveModel(name, environment.call.env, settings)
    const cost = price ? `$${price.input} in and $${price.output} out per million tokens` : 'price unknown'
    return pass(`${name} (${from}); ${cost}${context === undefined ? '' : `; window ${context} tokens`}`)
  },
}

/** Whether the provider of that model can be reached: a connection, and no request that costs anything. */
export const network: Examination = {
  name: 'network',
  onDisk: false,
  remedy: 'Check the network connection, the base URL and the proxy',
  async examine(environment) {
    const chosen = chosenModel(environment)
    if (!chosen) return notAvailable('no model is chosen, so there is no provider to reach', NO_KEY)
    const { name, settings } = chosen
    if (isModelFile(name)) return pass('the model needs no network')
    const { env } = environment.call
    const slash = name.indexOf('/')
    const provider = findProvider(name.slice(0, slash), name.slice(slash + 1), env, ModelSettings.parse(settings))
    const proxy = proxyVariable(env, provider.baseUrl)
    const { origin } = new URL(provider.baseUrl)
    const target = proxy === undefined ? origin : proxyAddress(env[proxy] ?? '')
    if (target === undefined)
      return fail(`the proxy in ${proxy} is not a URL`, `Set ${proxy} to one like http://host:port, or unset it`)
    const way = proxy === undefined ? origin : `${origin} through the proxy in ${proxy}`
    try {
      await connect(target, environment.signal)
      return pass(`${way} can be reached${proxy === undefined ? '' : ' as far as the proxy'}`)
    } catch (error) {
      const remedy = proxy && `Check the proxy in ${proxy}, or except the host with NO_PROXY`
      return fail(`${way} cannot be reached: ${why(error)}`, remedy)
    }
  },
}

/** One real call, which costs a little; only with --call. */
export const call: Examination = {
  name: 'call',
  onDisk: false,
  remedy: 'Do what the message says, then run deskmates doctor --call again',
  async examine(environment) {
    const chosen = chosenModel(environment)
    if (!chosen) return NO_MODEL
    const asked = await resolveModel(chosen.name, environment.call.env, chosen.settings)
    const request = {
      agent: 'doctor',
      system: 'You answer with one word.',
      turns: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Say: ready' }] }],
      tools: [],
      maxOutput: 256,
    }
    const answer = asked.reply(request, environment.signal)
    let step = await answer.next()
    for (; !step.done; step = await answer.next());
    const { cost, usage } = step.value
    const paid = cost === null ? 'price unknown' : `$${cost.toFixed(6)}`
    return pass(`${asked.name} answered; ${usage.input + usage.output} tokens, ${paid}`)
  },
}

/** The model that a run would ask, and the settings about models; undefined where no run can choose one. */
function chosenModel(environment: TestEnvironment) {
  const { env } = environment.call
  const settings = settingsOf(environment)
  const { model, providers, prices, models, patience } = settings
  try {
    const { name } = fullName(model ?? usualModel(env, settings), (provider) => hasKey(provider, env, settings))
    const from = model === undefined ? 'default of the first key' : 'from the settings'
    return { name, from, settings: { providers, prices, models, patience } }
  } catch {
    return undefined
  }
}

/** As every run reads them; a project that is not trusted sets no providers here either. */
function settingsOf({ call }: TestEnvironment): Settings {
  const { env, cwd, globals } = call
  const { workspace } = findRoot(resolve(cwd, globals.cwd ?? '.'), env, env.HOME || homedir())
  const trust = openTrust(env, { warn: () => {} })
  return loadSettings({ workspace, env, isTrusted: () => isTrusted({ workspace, trust }) }).settings
}

function proxyAddress(text: string): string | undefined {
  const url = text.includes('://') ? text : `http://${text}`
  return URL.canParse(url) ? new URL(url).origin : undefined
}

/** Opens a connection, secure where the address says so, and closes it again. Sends nothing. */
async function connect(origin: string, signal: AbortSignal): Promise<void> {
  const { protocol, hostname, port } = new URL(origin)
  const host = hostname.replace(/^\[|\]$/g, '')
  const isSecure = protocol === 'https:'
  const at = { host, port: Number(port) || (isSecure ? 443 : 80) }
  await new Promise<void>((resolve, reject) => {
    const socket = isSecure ? connectTls({ ...at, servername: host }, resolve) : connectTcp(at, resolve)
    const stop = (error: unknown) => {
      socket.destroy()
      reject(error)
    }
    const late = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_SECONDS * 1000)])
    late.addEventListener('abort', () => stop(late.reason), { once: true })
    socket.once('error', stop)
    socket.once(isSecure ? 'secureConnect' : 'connect', () => socket.destroy())
  })
}
