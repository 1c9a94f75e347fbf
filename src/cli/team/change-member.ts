import type { Command as TeamCommand } from '../../team/command.ts'
import { nameKey } from '../../team/name.ts'
import { memberNamed } from '../../team/state.ts'
import { print, printJson, printMessage } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { granted, Refused } from '../program/failure.ts'
import { acting, type Intent, withTeam } from '../workspace/open-team.ts'

type MemberCommand = Extract<TeamCommand, { type: 'member.join' | 'member.stop' }>

/** Scripts and people join and leave by the command line; agents are started and stopped by their runtime. */
export function changeMember(call: Call, command: MemberCommand, intent: Intent): Promise<void> {
  return withTeam(call, intent, async (team) => {
    const known = memberNamed(team.state, command.name)
    if (command.type === 'member.stop' && known?.kind === 'agent' && nameKey(known.name) !== 'lead') {
      const message = `${known.name} is an agent. Ask it to stop: deskmates send ${known.name} REASON --type shutdown_request`
      throw new Refused({ code: 'not_allowed', message })
    }
    const { member, note, effects = [] } = granted(await team.run(command, await acting(call, team, undefined)))
    if (note) await printMessage(call, note)
    const returned = effects.filter(({ outcome }) => outcome === 'bounced').length
    if (returned > 0) await printMessage(call, `${returned} unread returned to their senders.`)
    if (!member) return
    if (call.globals.json) return printJson(call, member)
    const { name, role, kind, status } = member
    await print(call, `${name}  ${kind}  ${status}  ${role}\n`)
  })
}
