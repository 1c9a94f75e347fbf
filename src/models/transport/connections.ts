import type { Dispatcher } from 'undici'

export type Env = Readonly<Record<string, string | undefined>>

// Short, so that a run without a network fails soon. A connection that is only slow is retried.
const CONNECT_TIMEOUT_MS = 5000

/** The connection pool for the proxy settings of this environment. Models with the same settings share one. */
export function connectionPool(env: Env): Promise<Dispatcher> {
  const httpProxy = env.http_proxy ?? env.HTTP_PROXY ?? ''
  const httpsProxy = env.https_proxy ?? env.HTTPS_PROXY ?? ''
  const noProxy = env.no_proxy ?? env.NO_PROXY ?? ''
  const key = [httpProxy, httpsProxy, noProxy].join(' ')
  const known = pools.get(key)
  if (known) return known
  const connect = { timeout: CONNECT_TIMEOUT_MS }
  const pool = import('undici').then(({ Agent, EnvHttpProxyAgent }) =>
    httpProxy || httpsProxy
      ? new EnvHttpProxyAgent({ httpProxy, httpsProxy, noProxy, connect })
      : new Agent({ connect }),
  )
  pools.set(key, pool)
  return pool
}

const pools = new Map<string, Promise<Dispatcher>>()

/** The variable that names the proxy for this URL, by the rules of the transport; undefined where none is used. */
export function proxyVariable(env: Env, baseUrl: string): string | undefined {
  if (!URL.canParse(baseUrl)) return undefined
  const { protocol, hostname } = new URL(baseUrl)
  const names = protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY']
  // A variable that is set, even to an empty text, hides the other spelling.
  const name = names.find((one) => env[one] !== undefined)
  if (name === undefined || !env[name]) return undefined
  const excepted = (env.no_proxy ?? env.NO_PROXY ?? '').split(/[,\s]+/).filter(Boolean)
  return excepted.some((one) => isExcepted(one, hostname)) ? undefined : name
}

function isExcepted(entry: string, hostname: string): boolean {
  const host = entry
    .replace(/:\d+$/, '')
    .replace(/^\*?\./, '')
    .toLowerCase()
  return entry === '*' || hostname === host || hostname.endsWith(`.${host}`)
}
