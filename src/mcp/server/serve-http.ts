import type { Author } from '../../team/event.ts'
import type { Refusal } from '../../team/refusal.ts'
import { openEndpoint, type ServedHttp } from './http-endpoint.ts'
import { createTeamServer, type TeamServerOptions } from './team-server.ts'

export interface HttpOptions extends Omit<TeamServerOptions, 'identify' | 'join'> {
  /** 0: a free one. */
  readonly port: number
  /** The member whose token this is. Asked for every request and again for every call. */
  identify(token: string): Promise<Author | Refusal>
}

/** Serves a team to MCP clients of this machine: each request acts as the member whose token it carries. */
export function serveHttp(options: HttpOptions): Promise<ServedHttp> {
  const { port, identify } = options
  return openEndpoint({
    port,
    identify,
    createServer: (token, signal) =>
      createTeamServer({
        ...options,
        signal: AbortSignal.any([options.signal, signal]),
        identify: () => identify(token),
      }),
  })
}
