import { TeamError } from '../../team/errors.ts'

/** A server cannot be used: which one, why, and what to do. */
export class ServerFailed extends TeamError {
  readonly code = 'mcp_server_failed'
}

/** It is configured in a way that must not or cannot be started; trying again does not help. */
export class ServerRefused extends TeamError {
  readonly code = 'mcp_server_refused'
}
