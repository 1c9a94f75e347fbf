import type { Env } from './connections.ts'

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
