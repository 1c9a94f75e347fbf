import type { TeamHandle } from '../../journal/team-handle.ts'
import { joinWithToken, renewToken, type WithToken } from '../../session/member-tokens.ts'
import type { Command as TeamCommand } from '../../team/command.ts'
import { nameKey } from '../../team/name.ts'
import type { Refusal } from '../../team/refusal.ts'
import { memberNamed } from '../../team/state.ts'
import { print, printJson, printMessage } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { granted, Refused } from '../program/failure.ts'
import { acting, type Intent, withTeam } from '../workspace/open-team.ts'

type MemberCommand =
  | Extract<TeamCommand, { type: 'member.join' | 'member.stop' }>
  | { readonly type: 'token.renew'; readonly name: string }

/** Scripts and people join and leave by the command line; agents are started and stopped by their runtime. */
export function changeMember(call: Call, command: MemberCommand, intent: Intent): Promise<void> {
  return withTeam(call, intent, async (team) => {
    const known = memberNamed(team.state, command.name)
    if (command.type === 'member.stop' && known?.kind === 'agent' && nameKey(known.name) !== 'lead') {
      const message = `${known.name} is an agent. Ask it to stop: deskmates send ${known.name} REASON --type shutdown_request`
      throw new Refused({ code: 'not_allowed', message })
    }
    const { member, note, effects = [], tokenFile } = granted(await carryOut(call, team, command))
    if (note) await printMessage(call, note)
    const returned = effects.filter(({ outcome }) => outcome === 'bounced').length
    if (returned > 0) await printMessage(call, `${returned} unread returned to their senders.`)
    if (!member) return
    if (call.globals.json) return printJson(call, { ...member, ...(tokenFile !== undefined && { tokenFile }) })
    const { name, role, kind, status } = member
    await print(call, `${name}  ${kind}  ${status}  ${role}\n`)
    if (tokenFile !== undefined && (call.isTerminal || command.type === 'token.renew'))
      await printMessage(call, `Its token is in ${tokenFile}`)
  })
}

async function carryOut(call: Call, team: TeamHandle, command: MemberCommand): Promise<WithToken | Refusal> {
  const as = await acting(call, team, undefined)
  switch (command.type) {
    case 'member.stop':
      return team.run(command, as)
    case 'member.join': {
      const { type: _, ...joining } = command
      return joinWithToken(team, call.env, joining, as)
    }
    case 'token.renew':
      return renewToken(team, call.env, command.name, as)
    default:
      return command satisfies never
  }
}
