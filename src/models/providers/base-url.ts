/** Adds the version to a base URL that does not end with one. */
export function withVersion(baseUrl: string, version: string): string {
  const url = baseUrl.trim().replace(/\/+$/, '')
  return /\/v\d\w*(\/|$)/.test(new URL(url).pathname) ? url : url + version
}

/** The URL for any form of OLLAMA_HOST: `host`, `host:port`, `0.0.0.0` or a whole URL. */
export function ollamaUrl(host: string): string {
  const url = new URL(host.includes('://') ? host : `http://${host}`)
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.port === '' && url.protocol === 'http:') url.port = '11434'
  return url.href
}
