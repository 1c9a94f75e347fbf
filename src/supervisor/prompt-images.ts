import type { MailImage } from '../agent/input/mail-images.ts'
import { PathRefused } from '../permissions/paths/refused.ts'
import { type AttachedImage, imageChip, imagesIn, type PromptImages } from '../tools/files/prompt-images.ts'
import type { ToolContext } from '../tools/tool.ts'
import { ImageRefused } from './errors.ts'
import type { Supervisor } from './supervisor.ts'

/**
 * The images that come with a prompt, and those that it names, read as the lead could read them. Throws where one of them
 * cannot be sent.
 */
export function promptImages(
  { lead, context }: Supervisor,
  prompt: string,
  {
    attached = [],
    cwd,
  }: { readonly attached?: readonly AttachedImage[] | undefined; readonly cwd?: string | undefined },
): PromptImages {
  const found = readImages()
  for (const text of found.notes) context.run.emit({ type: 'note', agent: lead.name, text })
  if (lead.model.acceptsImages !== false) return found
  const first = found.images.find(({ isExplicit }) => isExplicit)
  if (first)
    throw new ImageRefused(
      `${lead.model.name} accepts no images, and the prompt names ${first.name}. Use a model that does (-m, or /model on a terminal); if this one does, set models."${lead.model.name}".images to true in the settings.`,
    )
  // Only mentioned: the prompt means the same without them.
  return { images: [], notes: [] }

  function readImages(): PromptImages {
    try {
      return imagesIn(prompt, accessOf(lead), attached, cwd)
    } catch (error) {
      throw error instanceof PathRefused ? new ImageRefused(error.message) : error
    }
  }
}

/** Keeps the images in files of the lead, durable when it returns: the journal names them and does not hold them. */
export function keepImages(
  { lead }: Supervisor,
  { images }: PromptImages,
): { readonly chips: readonly string[]; readonly images: readonly MailImage[] } {
  const { outputs } = accessOf(lead)
  const kept = images.map(({ name, data }) => {
    const path = outputs.keep(data, 'image')
    return { name, path, sum: outputs.sumOf(path) ?? '', bytes: data.length }
  })
  return { chips: images.map(imageChip), images: kept }
}

/** A prompt reads files as a call of `read_file` by the lead would. */
export function accessOf(lead: Supervisor['lead'], signal = new AbortController().signal): ToolContext {
  const call = { type: 'tool-call', toolCallId: 'prompt', toolName: 'read_file', input: {} } as const
  return lead.toolContext(call, signal, () => {})
}
