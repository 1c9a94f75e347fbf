import type { TeamHandle } from '../../journal/team-handle.ts'
import { messageText } from '../../prompts/message.ts'
import { isControl, type Message } from '../../team/message.ts'
import type { Unread } from '../../team/state.ts'
import type { MailFile, Outputs } from '../../tools/tool.ts'
import { limitsOf, type ModelWindow, USUAL_WINDOW } from '../compaction/limits.ts'
import { tokensIn } from '../compaction/weigh.ts'
import { excerptOf, type Keep } from '../fit-text.ts'
import type { InputText } from '../transcript/typed-part.ts'
import { type MailAttachment, mailAttachments } from './mail-attachments.ts'
import { MAX_TURN_IMAGE_BYTES, type MailImage, mailImages } from './mail-images.ts'

/** What enters one turn at most, so that nothing that waits for an agent makes its conversation unusable. */
export interface InputBudget {
  /** Tokens of mail, and as many of notices. */
  readonly tokens: number
  /** A prompt of the user enters whole up to so many tokens. */
  readonly prompt: number
  readonly keep: Keep
  /** Of a file that was kept. */
  readonly sumOf?: ((path: string) => string | undefined) | undefined
  /** The images of prompts. */
  readonly readKept?: Outputs['read'] | undefined
}

/** Even where this is more than a tenth of a tiny window: fewer tokens are of no use. */
const MIN_INPUT_TOKENS = 400

export function inputBudget(
  agent: ModelWindow,
  keep: Keep,
  { sumOf, read }: Partial<Pick<Outputs, 'sumOf' | 'read'>> = {},
): InputBudget {
  const tokens = Math.max(MIN_INPUT_TOKENS, Math.floor((agent.model.context ?? USUAL_WINDOW) / 10))
  return { tokens, prompt: maxPromptTokens(agent), keep, sumOf, readKept: read }
}

/** Tokens a prompt may have: with system prompt, tools, a summary and the answer it has to fit into the window. */
export function maxPromptTokens(agent: ModelWindow): number {
  return Math.floor(limitsOf(agent).summarise * 0.7)
}

/** The mail of one turn. */
export interface ChosenMail {
  readonly mail: readonly Unread[]
  readonly texts: readonly InputText[]
  /** Of prompts. */
  readonly images: readonly MailImage[]
  /** Of prompts and other mail of the user. */
  readonly attachments: readonly MailAttachment[]
  readonly files: readonly MailFile[]
  /** Tokens that are left of the budget. */
  readonly left: number
}

/**
 * The mail that enters this turn: first messages of the user, then requests and answers, then the rest in order, until
 * the budget is used; the first enters in any case. A long message enters as head, tail and the path of all of it.
 */
export async function chooseMail(
  waiting: readonly Unread[],
  { loadLongTexts }: Pick<TeamHandle, 'loadLongTexts'>,
  budget: InputBudget,
  from?: string,
): Promise<ChosenMail> {
  const repeated = repeatedNotices(waiting)
  const queue = [...waiting].sort((a, b) => rank(a) - rank(b))
  const mail: Unread[] = []
  const texts: InputText[] = []
  const files: MailFile[] = []
  const images: MailImage[] = []
  const attachments: MailAttachment[] = []
  let left = budget.tokens
  let imageBytes = MAX_TURN_IMAGE_BYTES
  for (let at = 0; at < queue.length; at += MESSAGES_PER_READ) {
    const batch = queue.slice(at, at + MESSAGES_PER_READ)
    // Only messages that may enter are loaded: long texts may be stored elsewhere.
    const messages = await loadLongTexts(batch.map(({ message }) => message))
    for (const [i, unread] of batch.entries()) {
      const message = messages[i]!
      if (repeated.has(unread)) {
        mail.push(unread)
        continue
      }
      const isPrompt = isFromUser(unread) && message.prompt === true
      const own = isPrompt ? mailImages(message) : []
      imageBytes -= own.reduce((sum, { bytes }) => sum + bytes, 0)
      if (imageBytes < 0 && texts.length > 0) return { mail, texts, images, attachments, files, left }
      images.push(...own)
      if (isFromUser(unread) || isBroadcastOfUser(unread)) attachments.push(...mailAttachments(message))
      const text = messageText(message, unread.external, from)
      const tokens = text.length > budget.tokens * 20 ? Number.POSITIVE_INFINITY : costOf(text)
      if (isPrompt && tokens <= budget.prompt) {
        mail.push(unread)
        texts.push({ text, typed: typeof message.typed === 'string' ? message.typed : text })
        continue
      }
      const asWritten = (text: string): InputText => ({ text, ...(isFromUser(unread) && { typed: text }) })
      const isLong = tokens > budget.tokens / 2
      const cost = isLong ? budget.tokens / 4 + GAP_TOKENS : tokens
      if (texts.length > 0 && cost > left) return { mail, texts, images, attachments, files, left }
      left -= cost
      mail.push(unread)
      if (!isLong) {
        texts.push(asWritten(text))
        continue
      }
      const path = budget.keep(message.content, 'mail')
      files.push({ message: message.id, path, sum: budget.sumOf?.(path) })
      const content = excerptOf(message.content, Math.floor(budget.tokens / 4), path)
      texts.push(asWritten(messageText({ ...message, content }, unread.external, from)))
    }
  }
  return { mail, texts, images, attachments, files, left }
}

/** So many messages are read at once. */
const MESSAGES_PER_READ = 50
/** For the line that says where the rest of a long message is. */
const GAP_TOKENS = 60

/** An upper bound: the request around it counts too, and providers count differently. */
function costOf(text: string): number {
  return Math.max(tokensIn(text), Math.ceil(text.length / 3))
}

function rank(unread: Unread): number {
  if (isFromUser(unread)) return 0
  return isControl(unread.message.type) && !unread.external ? 1 : 2
}

function isFromUser({ message, external }: Unread): boolean {
  return message.from === 'user' && message.type === 'message' && !external
}

function isBroadcastOfUser({ message, external }: Unread): boolean {
  return message.from === 'user' && message.type === 'broadcast' && !external
}

/** Of several idle notices of one sender only the last one enters. */
function repeatedNotices(waiting: readonly Unread[]): ReadonlySet<Unread> {
  const repeated = new Set<Unread>()
  const last = new Map<string, Unread>()
  for (const unread of waiting) {
    const { type, from } = unread.message as Message
    if (type !== 'idle_notification' || unread.external) continue
    const before = last.get(from)
    if (before) repeated.add(before)
    last.set(from, unread)
  }
  return repeated
}
