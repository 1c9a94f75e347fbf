import type { TeamHandle } from '../../journal/team-handle.ts'
import type { MessageDraft } from '../../team/command.ts'
import { answersRequest, type Effect, type MessageType, opensRequest } from '../../team/message.ts'
import { nameKey } from '../../team/name.ts'
import type { Request } from '../../team/request.ts'
import { print, printJson } from '../output/print.ts'
import { type as aType, member } from '../program/arguments.ts'
import type { Call } from '../program/context.ts'
import { EXIT, granted, Refused } from '../program/failure.ts'
import { readStdin } from '../program/read-stdin.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { acting, teamFlag, withTeam } from '../workspace/open-team.ts'

interface Options {
  from?: string
  type?: MessageType
}

export const send: SubCommand<Options, [to: string, text: string]> = {
  example: `$ deskmates send lead 'build 214 is red' --from ci
$ git diff | deskmates send ada -
$ deskmates send all 'we freeze at noon'`,
  instead: () => 'Use your SendMessage tool.',
  define(command) {
    command
      .argument('<to>', 'a member, user, or all', member)
      .argument('<text>', "the message; '-' reads it from stdin")
      .option('--from <member>', 'a joined member; without it the user', member)
      .option('--type <type>', 'message, broadcast, a hand-off, or a request that waits for an answer', aType)
  },
  async run(call, { from, type }, to, text) {
    const message: MessageDraft = { to, type, content: text === '-' ? await readText(call) : text }
    return withTeam(call, 'create', async (team) => {
      const sent = await deliver(call, team, message, from)
      await report(call, sent, teamFlag(call, team.state))
      return sent.deliveries.length > 0 && sent.deliveries.every(({ outcome }) => outcome === 'bounced')
        ? EXIT.failed
        : EXIT.done
    })
  },
}

interface Sent {
  readonly id: string | null
  readonly type: MessageType
  readonly from: string
  readonly to: string
  readonly deliveries: readonly Pick<Effect, 'to' | 'outcome' | 'reason'>[]
  readonly request?: Request
}

async function deliver(call: Call, team: TeamHandle, message: MessageDraft, from: string | undefined): Promise<Sent> {
  const author = await acting(call, team, from)
  const isToAll = nameKey(message.to) === 'all'
  if (message.type === 'broadcast' && !isToAll) {
    const { to } = message
    throw new Refused({
      code: 'invalid',
      message: `A broadcast goes to all members, not to ${to} alone. For all members: deskmates send all TEXT. For ${to}: leave out --type broadcast.`,
    })
  }
  const type: MessageType =
    message.type && message.type !== 'message' ? message.type : isToAll ? 'broadcast' : 'message'
  const sent = { type, from: author.by.name, to: isToAll ? 'all' : message.to }
  const kind = opensRequest(type)
  if (answersRequest(type)) {
    const message = `A ${type} answers a request: deskmates answer REQUEST approve|reject`
    throw new Refused({ code: 'invalid', message })
  }
  if (!kind) {
    const effects = granted(await team.send(message, author))
    return { id: effects[0]?.id ?? null, ...sent, deliveries: effects.map(delivery) }
  }
  if (isToAll) throw new Refused({ code: 'invalid', message: `A ${type} goes to one member, not to all.` })
  const command = { type: 'request.open', kind, to: message.to, content: message.content } as const
  const { request, effects = [] } = granted(await team.run(command, author))
  return { id: effects[0]?.id ?? null, ...sent, deliveries: effects.map(delivery), request }
}

function delivery({ to, outcome, reason }: Effect): Sent['deliveries'][number] {
  return { to, outcome, ...(reason !== undefined && { reason }) }
}

async function report(call: Call, sent: Sent, again: string): Promise<void> {
  if (call.globals.json) return printJson(call, sent)
  const lines = sent.deliveries.map(({ to, outcome, reason }) => `${to}: ${outcome}${reason ? ` (${reason})` : ''}`)
  if (lines.length === 0) lines.push('no recipients')
  if (sent.request) lines.push(`request ${sent.request.id} is open; see: deskmates requests${again}`)
  await print(call, `${lines.join('\n')}\n`)
}

async function readText(call: Call): Promise<string> {
  const read = await readStdin(call, { interrupted: 'Nothing was sent.' })
  if ('text' in read) return read.text
  if (read.problem === 'not_utf8')
    throw new Refused({ code: 'invalid', message: 'The text from stdin is not UTF-8. Send the path of a file.' })
  const message = 'A message has at most 1 MB. Write the rest to a file and send its path.'
  throw new Refused({ code: 'too_large', message })
}
