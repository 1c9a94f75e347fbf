import { tokensIn } from '../agent/compaction/weigh.ts'
import type { MailAttachment } from '../agent/input/mail-attachments.ts'
import { filesIn, type NamedFile } from '../tools/files/prompt-files.ts'
import { accessOf } from './prompt-images.ts'
import type { Supervisor } from './supervisor.ts'

/** What a person typed of a prompt: only that attaches files. */
export interface TypedPrompt {
  readonly text: string
  /** The folder where it was typed. */
  readonly cwd?: string | undefined
}

/** The files that a person named behind `@`, as far as they fit; notes tell the person of the others. */
export async function promptFiles(
  { lead, context }: Supervisor,
  { text, cwd }: TypedPrompt,
  maxTokens: number,
  signal: AbortSignal,
): Promise<readonly NamedFile[]> {
  const { files, notes } = await filesIn(text, accessOf(lead, signal), cwd)
  let left = maxTokens
  const fitting = files.filter((file) => {
    const tokens = tokensIn(file.text)
    const isFitting = tokens <= left
    if (isFitting) left -= tokens
    return isFitting
  })
  const tooLarge = files
    .filter((file) => !fitting.includes(file))
    .map(
      ({ name }) =>
        `${name} is not attached: the text would be too long for ${lead.model.name}. An agent that needs it reads it itself.`,
    )
  for (const note of [...notes, ...tooLarge]) context.run.emit({ type: 'note', agent: lead.name, text: note })
  return fitting
}

/** Keeps them as they are now in files of the lead, durable when it returns: the journal names them and does not hold them. */
export function keepFiles({ lead }: Supervisor, files: readonly NamedFile[]): readonly MailAttachment[] {
  const { outputs } = accessOf(lead)
  return files.map(({ name, about, text }) => {
    const path = outputs.keep(text, 'attached')
    return { name, about, path, sum: outputs.sumOf(path) ?? '' }
  })
}
