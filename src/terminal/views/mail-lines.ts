import { counted } from '../../team/wording.ts'
import type { ShownMessage } from '../../view/view.ts'
import { attachmentLine } from '../conversation/entry-lines.ts'
import { type Drawn, draw, EMPTY, paint, spread } from '../drawing/drawn.ts'
import { wrappedLines } from '../drawing/text-lines.ts'
import { timeOfDay } from '../drawing/values.ts'

/** Lines of a message that are printed when it arrives; the mail view has all of them. */
const SHOWN_LINES = 3

/** A message in full: sender, recipient, text. */
export function mailLines(mail: readonly ShownMessage[], columns: number): Drawn[] {
  if (mail.length === 0) return [paint.dim('No mail since this terminal was opened.')]
  return mail.flatMap(({ at, message }) => [
    spread(messageHead(message), paint.dim(timeOfDay(at)), columns),
    ...wrappedLines(message.content, Math.max(1, columns - 2)).map((line) => draw`  ${line}`),
    ...attachedLines(message, columns),
    EMPTY,
  ])
}

/** A message as it is announced above the prompt. */
export function announcedMail({ message }: ShownMessage, columns: number): Drawn[] {
  const lines = wrappedLines(message.content.trim(), Math.max(1, columns - 4))
  const more =
    lines.length > SHOWN_LINES
      ? [paint.dim(`    … ${counted(lines.length - SHOWN_LINES, 'more line')} (/mail)`).fit(columns)]
      : []
  const shown = lines.slice(0, SHOWN_LINES).map((line) => draw`    ${line}`)
  return [messageHead(message).fit(columns), ...shown, ...more, ...attachedLines(message, columns)]
}

/** Files that the user attached; a prompt has them below it in the conversation. */
function attachedLines({ attached, prompt }: ShownMessage['message'], columns: number): Drawn[] {
  if (!Array.isArray(attached) || prompt === true) return []
  return attached.map((file: Record<string, unknown>) =>
    attachmentLine({ kind: 'attachment', at: 0, file: String(file.name), text: String(file.about) }, columns),
  )
}

/** Who writes to whom. */
export function messageHead({ from, to, type }: ShownMessage['message']): Drawn {
  const kind = type === 'message' ? EMPTY : paint.dim(` (${type.replaceAll('_', ' ')})`)
  return draw`${paint.magenta('✉')} ${paint.bold(from)} → ${paint.bold(to)}${kind}`
}
