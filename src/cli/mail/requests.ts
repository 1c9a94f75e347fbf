import { answerWords, type Request } from '../../team/request.ts'
import { oneLine, table, time } from '../output/format.ts'
import { print, printJsonArray, printMessage } from '../output/print.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { withTeam } from '../workspace/open-team.ts'

export const requests: SubCommand<{ all?: boolean }> = {
  example: '$ deskmates requests --json',
  define(command) {
    command.option('--all', 'also answered, timed-out and void requests')
  },
  run: (call, { all }) =>
    withTeam(call, 'read', async ({ state, loadLongTexts: whole }) => {
      const now = call.clock.now()
      const found = [...state.requests.values()]
        .filter((request) => all || request.state === 'pending')
        .sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)))
        .map((request) => ({ ...request, ...(isOver(request, now) && { note: 'deadline over' }) }))
      const shown = await whole(found)
      if (call.globals.json) return printJsonArray(call, shown)
      const rows = shown.map((request) => [
        request.id,
        request.kind,
        `${request.from} → ${request.to}`,
        request.note ?? request.state,
        request.deadline === null ? '' : time(request.deadline),
        oneLine(request.content),
        ...(all ? [oneLine(answerOf(request))] : []),
      ])
      const head = ['ID', 'KIND', 'FROM → TO', 'STATE', 'DEADLINE', 'ABOUT', ...(all ? ['ANSWER'] : [])]
      await print(call, table(call, head, rows))
      if (shown.length === 0) await printMessage(call, all ? 'No requests.' : 'No open requests.')
    }),
}

/** The answer, or why none is needed any more; '' while the request is open. */
function answerOf(request: Request): string {
  switch (request.state) {
    case 'pending':
      return ''
    case 'approved':
    case 'rejected':
      return answerWords(request, request)
    case 'timed_out':
    case 'void':
      return request.reason
    default:
      return request satisfies never
  }
}

/** The next command that writes closes it; here it is only marked. */
function isOver(request: Request, now: number): boolean {
  return request.state === 'pending' && request.deadline !== null && request.deadline <= now
}
