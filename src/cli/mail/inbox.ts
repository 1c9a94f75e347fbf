import type { TeamHandle } from '../../journal/team-handle.ts'
import { type MessageView, messageView } from '../../team/answers/view.ts'
import { unreadOf } from '../../team/state.ts'
import type { Workspace } from '../../workspace.ts'
import { colours, indented, time } from '../output/format.ts'
import { print, printed, printJsonArray, printMessage, warn } from '../output/print.ts'
import { member as aMember } from '../program/arguments.ts'
import type { Call } from '../program/context.ts'
import { EXIT, granted, OutputClosed } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { presentMember, takingMail, withTeam } from '../workspace/open-team.ts'

export const inbox: SubCommand<{ take?: boolean }, [member: string]> = {
  example: `$ deskmates inbox ci              look; nothing is taken
$ deskmates inbox ci --take --json`,
  instead: ({ take }) => (take ? 'Your mail comes to you by itself (or by your read_inbox tool).' : undefined),
  define(command) {
    command.argument('<member>', 'whose mail', aMember).option('--take', 'print it and mark it as read')
  },
  run: (call, { take }, wanted) =>
    withTeam(call, take ? 'write' : 'read', (team, workspace) =>
      take ? takeMail(call, team, workspace, wanted) : peek(call, team, workspace, wanted),
    ),
}

async function peek(call: Call, team: TeamHandle, workspace: Workspace, wanted: string): Promise<number> {
  const member = presentMember(team.state, wanted)
  await ingestInboxFiles(call, team, workspace)
  const mail = await team.loadLongTexts(unreadOf(team.state, member).map(messageView))
  await show(call, mail)
  if (mail.length === 0) await printMessage(call, `No unread mail for ${member}.`)
  return EXIT.done
}

/**
 * Assigns, prints, then acknowledges. If this process dies in between, the next reader gets the messages, marked as
 * redelivered. No process gets a message while another living process holds it.
 */
async function takeMail(call: Call, team: TeamHandle, { store }: Workspace, wanted: string): Promise<number> {
  const member = presentMember(team.state, wanted)
  const { by, commandId } = await takingMail(call, team, member)
  if (call.isStdoutClosed) throw new OutputClosed(new Error('stdout is closed'), STILL_UNREAD)
  await team.ingest()
  const command = { type: 'mail.take', member, taker: store.presence.self, limit: ALL } as const
  const { mail, note } = granted(await team.run(command, { by, commandId }))
  const messages = mail?.messages ?? []
  try {
    await show(call, messages)
    // All of it is out before anything counts as read.
    await printed(call)
  } catch (error) {
    throw error instanceof OutputClosed ? error.withOutcome(STILL_UNREAD) : error
  }
  if (!mail || messages.length === 0) {
    await printMessage(call, note ?? 'No unread mail.')
    return EXIT.done
  }
  const ids = messages.map(({ id }) => id)
  // Under an id of its own: a repeated command learns again that it was the reader, any other that it was not.
  const acknowledged = commandId === undefined ? undefined : `${commandId}.read`
  const effects = await team.acknowledge(member, ids, mail.take, { by, commandId: acknowledged })
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

/** Reads the lines that programs appended to inbox files, unless the journal is not trusted. */
async function ingestInboxFiles(call: Call, team: TeamHandle, { trust }: Workspace): Promise<void> {
  const facts = team.state.team.get()
  if (!facts || facts.deleted || call.env.DESKMATES_AGENT || !trust.isTeamTrusted(facts.id)) return
  try {
    await team.ingest()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    await warn(call, `The lines in the inbox files could not be read: ${why}`)
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
