import { z } from 'zod'
import type { UserTurn } from '../../models/model.ts'
import { attachedFileText, lostAttachmentText } from '../../prompts/attached-file.ts'
import type { Message } from '../../team/message.ts'
import type { Outputs } from '../../tools/tool.ts'

/** A file of a prompt: the journal names it, a file of the agent's outputs holds what it was when the prompt was sent. */
const MailAttachment = z.object({ name: z.string(), about: z.string(), path: z.string(), sum: z.string() })
export type MailAttachment = z.infer<typeof MailAttachment>

type TextPart = Extract<UserTurn['content'][number], { type: 'text' }>

export function mailAttachments({ attached }: Message): readonly MailAttachment[] {
  const checked = z.array(MailAttachment).safeParse(attached)
  return checked.success ? checked.data : []
}

/** As parts of a turn, which says of each which file it is. No provider reads that. */
export function attachmentParts(
  attachments: readonly MailAttachment[],
  read: Outputs['read'] | undefined,
): readonly TextPart[] {
  return attachments.map(({ name, about, path, sum }) => {
    const kept = read?.(path, sum)
    const text = kept ? attachedFileText(name, Buffer.from(kept).toString('utf8')) : lostAttachmentText(name)
    return { type: 'text', text, providerOptions: { deskmates: { file: name, about } } }
  })
}

/** Which file a part of a turn is; undefined for what is none. */
export function attachmentOf({
  providerOptions,
}: TextPart): { readonly file: string; readonly about: string } | undefined {
  const { file, about } = providerOptions?.deskmates ?? {}
  return typeof file === 'string' && typeof about === 'string' ? { file, about } : undefined
}
