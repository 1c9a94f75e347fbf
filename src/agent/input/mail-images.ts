import { z } from 'zod'
import type { UserTurn } from '../../models/model.ts'
import type { Message } from '../../team/message.ts'
import { kindOf } from '../../tools/paths/kind-of-bytes.ts'
import type { Outputs } from '../../tools/tool.ts'

/** An image of a prompt: the journal names it, the file of the agent's outputs holds it. */
const MailImage = z.object({ name: z.string(), path: z.string(), sum: z.string(), bytes: z.number() })
export type MailImage = z.infer<typeof MailImage>

type FilePart = Extract<UserTurn['content'][number], { type: 'file' }>

/** Bytes of images in one turn: it is one record of the transcript. A prompt has no more. */
export const MAX_TURN_IMAGE_BYTES = 8 * 1024 * 1024

export function mailImages({ images }: Message): readonly MailImage[] {
  const checked = z.array(MailImage).safeParse(images)
  return checked.success ? checked.data : []
}

/** The images as parts of a turn; one that is missing, or is none, is left out, and its line of text stays. */
export function imageParts(images: readonly MailImage[], read: Outputs['read'] | undefined): FilePart[] {
  return images.flatMap(({ name: filename, path, sum }) => {
    const data = read?.(path, sum)
    const kind = data && kindOf(data)
    if (!data || kind?.is !== 'image') return []
    return [{ type: 'file', data: Buffer.from(data).toString('base64'), mediaType: kind.mediaType, filename }]
  })
}
