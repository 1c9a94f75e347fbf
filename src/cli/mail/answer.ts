import { print, printJson } from '../output/print.ts'
import { member, verdict } from '../program/arguments.ts'
import { granted } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { acting, withTeam } from '../workspace/open-team.ts'

interface Options {
  feedback?: string
  as?: string
}

export const answer: SubCommand<Options, [request: string, verdict: 'approve' | 'reject']> = {
  example: "$ deskmates answer r3 reject --feedback 'split it in two'",
  instead: () => 'Use your SendMessage tool with type shutdown_response or plan_approval_response.',
  define(command) {
    command
      .argument('<request>', 'its id, like r3')
      .argument('<verdict>', 'approve or reject', verdict)
      .option('--feedback <text>', 'a comment for the member that asked')
      .option('--as <member>', 'the joined member that was asked; without it the user', member)
  },
  run: (call, { feedback, as }, id, given) =>
    withTeam(call, 'write', async (team) => {
      const command = { type: 'request.answer', id, approve: given === 'approve', feedback } as const
      const { request } = granted(await team.run(command, await acting(call, team, as)))
      if (!request) throw new Error(`Request ${id} was answered and cannot be seen.`)
      if (call.globals.json) return printJson(call, request)
      await print(call, `${request.id}  ${request.kind}  ${request.from} → ${request.to}  ${request.state}\n`)
    }),
}
