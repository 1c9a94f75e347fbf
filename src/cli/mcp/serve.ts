import { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { TeamHandle } from '../../journal/team-handle.ts'
import { identifyByName, identifyByToken } from '../../mcp/server/identify.ts'
import { serveHttp } from '../../mcp/server/serve-http.ts'
import { createTeamServer } from '../../mcp/server/team-server.ts'
import { createRedactor } from '../../redaction/redactor.ts'
import { joinWithToken } from '../../session/member-tokens.ts'
import { findMemberToken, removeMemberTokens, tokenFileOf } from '../../stores/files/identity/member-tokens.ts'
import type { Author } from '../../team/event.ts'
import { isPresent } from '../../team/members/member.ts'
import { nameKey } from '../../team/name.ts'
import { isRefusal, type Refusal, refuse } from '../../team/refusal.ts'
import { memberNamed } from '../../team/state.ts'
import { print, printJson, printMessage } from '../output/print.ts'
import { name as aName, port, role } from '../program/arguments.ts'
import type { Call } from '../program/context.ts'
import { granted, Refused, refused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { version } from '../program/version.ts'
import { acting, withTeam } from '../workspace/open-team.ts'

interface Options {
  as?: string
  role: string
  http?: number | true
}

export const mcpServe: SubCommand<Options> = {
  example: `$ claude mcp add deskmates -- deskmates mcp serve --team web --as claude
$ deskmates mcp serve --team web --http 7077`,
  instead: () => 'Use your own tools: they reach the same board and mail.',
  define(command) {
    command
      .option('--as <member>', 'the member that the caller acts as; it joins with its first action', aName)
      .option('--role <role>', 'its role, if it joins', role, 'outside agent')
      .option('--http [port]', 'serve over HTTP on this machine; every client sends the token of its member', port)
  },
  run: (call, options) =>
    withTeam(call, 'create', async (team, workspace) => {
      const { presence } = workspace.store
      const serving = { team, clock: call.clock, runtime: presence.self, version, signal: call.signal }
      const onLeft = ({ name }: Author) => removeMemberTokens(call.env, team.state, name)
      const base = { ...serving, redactor: createRedactor(call.env), onLeft }
      // In a database mail is assigned to a process that proves by a lease that it lives.
      const needsLease = workspace.teamsFolder === undefined
      if (options.as !== undefined) await requireUsable(call, team, options.as)
      if (needsLease) await presence.announce(team.name)
      try {
        if (options.http === undefined) await serveOnStdio(call, base, options)
        else await serveOnHttp(call, base, options)
      } finally {
        if (needsLease) await presence.withdraw(team.name)
      }
    }),
}

type Serving = Omit<Parameters<typeof createTeamServer>[0], 'identify' | 'join'>

/** A member that is in the team already must be one that this user may act as. */
async function requireUsable(call: Call, team: TeamHandle, name: string): Promise<void> {
  const member = memberNamed(team.state, name)
  if (member && isPresent(member)) await acting(call, team, name)
}

async function serveOnStdio(call: Call, base: Serving, options: Options): Promise<void> {
  const { team } = base
  const { env } = call
  let own = options.as
  let hasLeft = false
  const hasToken = own === undefined && Boolean(env.DESKMATES_MEMBER_TOKEN)

  async function identify(isReading: boolean): Promise<Author | Refusal> {
    if (hasToken) return identifyByToken(team.state, findMemberToken(env, team.state, '') ?? '', undefined)
    if (own === undefined) return refuse('not_allowed', { problem: 'no_member' })
    const member = memberNamed(team.state, own)
    if (!member || !isPresent(member)) {
      if (isReading) return refuse('not_allowed', { problem: 'no_member' })
      // It joins with its first action, but not again after it chose to leave.
      if (member && hasLeft)
        return refuse('member_stopped', { problem: 'caller', member: member.name, role: member.role })
      const joined = await joinWithToken(team, env, { name: own, role: options.role })
      if (isRefusal(joined)) return joined
    }
    return identifyByName(team.state, own, findMemberToken(env, team.state, own))
  }

  async function join(name: string, role: string) {
    const known = memberNamed(team.state, name)
    if (known && isPresent(known))
      return refuse('member_busy', { problem: 'name_taken', member: known.name, kind: known.kind })
    const answer = await joinWithToken(team, env, { name, role })
    if (!isRefusal(answer)) {
      own = name
      hasLeft = false
    }
    return answer
  }

  function onLeft(caller: Author): void {
    hasLeft = true
    base.onLeft?.(caller)
  }

  const mayChoose = own === undefined && !hasToken
  const input = Readable.from(bytesOf(call.stdin), { objectMode: false })
  const output = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => void (call.protocolOutput ?? call.stdout).write(text, done),
  })
  const handle = serveStdio(() => createTeamServer({ ...base, identify, onLeft, ...(mayChoose && { join }) }), {
    transport: new StdioServerTransport(input, output),
  })
  // The client closes its end, or this process is asked to end.
  await finished(input, { signal: call.signal }).catch(() => {})
  await handle.close()
}

/** The transport reads bytes only. */
async function* bytesOf(stdin: Call['stdin']): AsyncGenerator<Buffer> {
  for await (const chunk of stdin) yield Buffer.from(chunk as Uint8Array)
}

async function serveOnHttp(call: Call, base: Serving, { as, http, role }: Options): Promise<void> {
  const { team } = base
  const wanted = typeof http === 'number' ? http : 0
  const member = as === undefined ? undefined : memberNamed(team.state, as)
  if (as !== undefined && !(member && isPresent(member)))
    granted(await joinWithToken(team, call.env, { name: as, role }))
  // A client proves by a token who it is: a member without one could not be meant.
  if (as !== undefined && !team.state.tokens.has(nameKey(as)))
    throw refused(refuse('wrong_token', { problem: 'missing', member: as }))
  const tokenFile = as === undefined ? undefined : tokenFileOf(call.env, team.state, as)
  const identify = async (token: string) => {
    await team.refresh()
    return identifyByToken(team.state, token, as)
  }
  await using served = await serveHttp({ ...base, port: wanted, identify }).catch((error) => {
    if (error?.code !== 'EADDRINUSE') throw error
    const message = `Port ${wanted} is in use. Name another with --http PORT, or leave the port out for a free one.`
    throw new Refused({ code: 'port_in_use', message })
  })
  const { url } = served
  if (call.globals.json) await printJson(call, { url, team: team.name, ...(tokenFile !== undefined && { tokenFile }) })
  else {
    await print(call, `${url}\n`)
    if (tokenFile !== undefined) await printMessage(call, `The token of ${as} is in ${tokenFile}`)
  }
  await new Promise<void>((resolve) => {
    if (call.signal.aborted) resolve()
    call.signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
