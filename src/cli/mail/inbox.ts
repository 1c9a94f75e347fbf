import type { TeamHandle } from '../../journal/team-handle.ts'
import { unreadOf } from '../../team/state.ts'
import { type MessageView, messageView } from '../../team/view.ts'
import type { Workspace } from '../../workspace.ts'
import { colours, indented, time } from '../output/format.ts'
import { print, printed, printJsonArray, say, warn } from '../output/print.ts'
import { member as aMember } from '../program/arguments.ts'
import type { Call } from '../program/context.ts'
import { EXIT, granted, OutputClosed } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { presentMember, withTeam } from '../workspace/open-team.ts'

export const inbox: SubCommand<{ take?: boolean }, [member: string]> = {
  example: `$ deskmates inbox ci              look; nothing is taken
$ deskmates inbox ci --take --json`,
  instead: ({ take }) => (take ? 'Your mail comes to you by itself (or by your read_inbox tool).' : undefined),
  define(command) {
    command.argument('<member>', 'whose mail', aMember).option('--take', 'print it and mark it as read')
  },
  run: (call, { take }, wanted) =>
    withTeam(call, take ? 'write' : 'read', (team, place) =>
      take ? takeMail(call, team, place, wanted) : peek(call, team, place, wanted),
    ),
}

async function peek(call: Call, team: TeamHandle, place: Workspace, wanted: string): Promise<number> {
  const member = presentMember(team.state, wanted)
  await bringIn(call, team, place)
  const mail = await team.loadLongTexts(unreadOf(team.state, member).map(messageView))
  await show(call, mail)
  if (mail.length === 0) await say(call, `No unread mail for ${member}.`)
  return EXIT.done
}

/**
 * Assigned, printed, then acknowledged: whoever dies in between leaves the messages to the next reader, marked as
 * redelivered. Nobody gets a message while another living process holds it.
 */
async function takeMail(call: Call, team: TeamHandle, { store }: Workspace, wanted: string): Promise<number> {
  const member = presentMember(team.state, wanted)
  const { commandId } = call.globals
  if (call.isStdoutClosed) throw new OutputClosed(new Error('stdout is closed'), STILL_UNREAD)
  await team.ingest()
  const command = { type: 'mail.take', member, taker: store.presence.self, limit: ALL } as const
  const { mail, note } = granted(await team.run(command, { commandId }))
  const messages = mail?.messages ?? []
  try {
    await show(call, messages)
    // All of it is out before anything counts as read.
    await printed(call)
  } catch (error) {
    throw error instanceof OutputClosed ? error.saying(STILL_UNREAD) : error
  }
  if (!mail || messages.length === 0) {
    await say(call, note ?? 'No unread mail.')
    return EXIT.done
  }
  const ids = messages.map(({ id }) => id)
  // Under an id of its own: a repeated command hears again that it was the reader, anybody else that it was not.
  const acknowledged = commandId === undefined ? undefined : `${commandId}.read`
  const effects = await team.acknowledge(member, ids, mail.take, { commandId: acknowledged })
  const lost = effects.filter(({ outcome }) => outcome === 'ignored')
  if (lost.length === 0) return EXIT.done
  await warn(
    call,
    `${lost.length} of these messages went to another reader meanwhile: ${lost.map(({ id }) => id).join(', ')}`,
  )
  return EXIT.failed
}

const STILL_UNREAD = 'Nothing is marked as read; the next --take prints it again.'

/** More than a mailbox holds. */
const ALL = 1_000_000

/** What programs left at the door belongs to the mail; somebody else's journal is only read. */
async function bringIn(call: Call, team: TeamHandle, { trust }: Workspace): Promise<void> {
  const facts = team.state.team.get()
  if (!facts || facts.deleted || call.env.DESKMATES_AGENT || !trust.isTeamTrusted(facts.id)) return
  try {
    await team.ingest()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    await warn(call, `What lies in the mailbox files could not be brought in: ${why}`)
  }
}

async function show(call: Call, mail: readonly MessageView[]): Promise<void> {
  if (call.globals.json) return printJsonArray(call, mail)
  const { bold, dim } = colours(call)
  for (const { timestamp, from, to, type, content, external, redelivered } of mail) {
    const marks = [type !== 'message' && type, external && 'external, unverified', redelivered && 'redelivered']
    const marked = marks.filter(Boolean).join('; ')
    const head = `${dim(time(timestamp))}  ${bold(from)} → ${to}${marked ? `  (${marked})` : ''}`
    await print(call, `${head}\n${indented(content)}\n`)
  }
}
