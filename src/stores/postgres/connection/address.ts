import { readFileSync } from 'node:fs'
import { isIPv4, isIPv6 } from 'node:net'
import { TeamError } from '../../../team/errors.ts'

/** A parsed `postgres://` address. */
export interface Address {
  /** In the order in which they are tried. */
  readonly hosts: readonly Host[]
  readonly database: string
  readonly user: string | undefined
  readonly password: string | undefined
  readonly tls: Tls
  /** The schema with all tables, so that several stores fit into one database. */
  readonly schema: string
  /** A pooler shares one connection among clients: no LISTEN, no prepared statements, no session settings. */
  readonly pooler: boolean
  /** Session settings from the address. */
  readonly settings: Readonly<Record<string, string>>
  /** To show to people: hosts and database, never the password. */
  readonly shown: string
}

export interface Host {
  /** A host name, an IP address, or the folder of a local socket. */
  readonly name: string
  readonly port: number
}

type Tls = false | 'prefer' | 'require' | 'verify-full' | { readonly ca: string }

/** The message does not repeat the address: it may hold a password. */
export class BadStoreAddress extends TeamError {
  readonly code = 'bad_store_address'
  constructor(why: string) {
    super(
      `The address of the PostgreSQL store is wrong: ${why}. ` +
        'It looks like postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=deskmates',
    )
  }
}

const DEFAULT_PORT = 5432
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/

/** Parameters that are not ours become session settings. */
export function parseAddress(url: string): Address {
  const [, login = '', places = '', path = '', query = ''] = FORM.exec(url) ?? []
  if (!FORM.test(url)) throw new BadStoreAddress('it does not begin with postgres:// or has no end')
  const parameters = new URLSearchParams(query)
  const take = (name: string): string | undefined => {
    const value = parameters.get(name) ?? undefined
    parameters.delete(name)
    return value
  }
  const [user, password] = loginOf(login)
  const hosts = hostsOf(places || take('host') || process.env.PGHOST || 'localhost', take('port'))
  const database = decoded(path, 'database') || process.env.PGDATABASE || user || process.env.PGUSER || 'postgres'
  const schema = take('schema') ?? 'deskmates'
  if (!SCHEMA.test(schema)) throw new BadStoreAddress(`schema=${schema} is not a plain lower-case name`)
  const attributes = take('target_session_attrs')
  if (attributes !== undefined && !['read-write', 'primary', 'any'].includes(attributes))
    throw new BadStoreAddress('a team is written to, so target_session_attrs is read-write or primary')
  const pooler = isOn(take('pooler'))
  const tls = tlsOf(take('sslmode') ?? process.env.PGSSLMODE, take('sslrootcert'), hosts)
  const shown = `postgres://${hosts.map(({ name, port }) => `${name}:${port}`).join(',')}/${database}`
  return { hosts, database, user, password, tls, schema, pooler, settings: Object.fromEntries(parameters), shown }
}

const FORM = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/

function loginOf(login: string): [user: string | undefined, password: string | undefined] {
  const colon = login.indexOf(':')
  const name = colon < 0 ? login : login.slice(0, colon)
  const secret = colon < 0 ? '' : login.slice(colon + 1)
  return [decoded(name, 'user') || undefined, decoded(secret, 'password') || undefined]
}

function hostsOf(places: string, port = process.env.PGPORT): Host[] {
  return places.split(',').map((place) => {
    const [, bracketed, plain, own] = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(decoded(place, 'host')) ?? []
    const name = bracketed ?? plain
    if (!name) throw new BadStoreAddress('one of its hosts is not HOST or HOST:PORT')
    const number = Number(own ?? port ?? DEFAULT_PORT)
    if (!(Number.isInteger(number) && number > 0 && number < 65_536))
      throw new BadStoreAddress(`there is no port ${number}`)
    return { name, port: number }
  })
}

/** A socket, or a host that cannot be another machine: `localhost.example.com` and `127.evil.net` can. */
export function isThisMachine(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  if (name.startsWith('/') || name === 'localhost' || name.endsWith('.localhost')) return true
  if (isIPv6(name)) return /^(?:::1|(?:0{1,4}:){7}0{0,3}1|::ffff:127\.\d+\.\d+\.\d+)$/.test(name)
  return isIPv4(name) && name.startsWith('127.')
}

/** Like other clients: encrypted if the server offers it, except on this machine. */
function tlsOf(mode: string | undefined, rootCertificate: string | undefined, hosts: readonly Host[]): Tls {
  const isLocal = hosts.every(({ name }) => isThisMachine(name))
  const wanted = mode ?? (rootCertificate ? 'verify-full' : isLocal ? 'disable' : 'prefer')
  if (wanted === 'disable') return false
  if (wanted === 'prefer' || wanted === 'allow') return 'prefer'
  if (wanted === 'require' && !rootCertificate) return 'require'
  if (wanted !== 'require' && wanted !== 'verify-ca' && wanted !== 'verify-full')
    throw new BadStoreAddress('sslmode is disable, prefer, require or verify-full')
  if (!rootCertificate || rootCertificate === 'system') return 'verify-full'
  try {
    return { ca: readFileSync(rootCertificate, 'utf8') }
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'it cannot be read'
    throw new BadStoreAddress(`the file of sslrootcert cannot be read (${why})`)
  }
}

function decoded(text: string, part: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new BadStoreAddress(`in its ${part} a % is not followed by two digits; write %25 for a plain one`)
  }
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !['0', 'false', 'off', 'no'].includes(value)
}
