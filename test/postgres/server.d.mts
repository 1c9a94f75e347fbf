/** A private PostgreSQL server of a test; see `server.mjs`. */
export interface PostgresServer extends AsyncDisposable {
  readonly host: string
  readonly port: number
  readonly source: 'system' | 'embedded'
  readonly folder: string
  readonly url: string
  readonly pid: number
  start(): Promise<void>
  /** SIGKILL, as a crash would be; `start` brings it back. */
  kill(): Promise<void>
  restart(): Promise<void>
  standby(settings?: Readonly<Record<string, string | number>>): Promise<PostgresServer>
  promote(): Promise<void>
  /** Ends this one for good and keeps those that followed it. */
  discard(): Promise<void>
  stop(): Promise<void>
}

export function startPostgres(options?: {
  readonly from?: 'any' | 'system' | 'embedded'
  readonly settings?: Readonly<Record<string, string | number>>
  readonly walSegment?: number
}): Promise<PostgresServer>
