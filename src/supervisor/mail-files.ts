import { hash } from 'node:crypto'
import { join } from 'node:path'
import { inputBudget } from '../agent/input/choose-mail.ts'
import type { MailAttachment } from '../agent/input/mail-attachments.ts'
import type { TeamHandle } from '../journal/team-handle.ts'
import { createOutputs } from '../tools/results/outputs.ts'
import { promptFiles, type TypedPrompt } from './prompt-files.ts'
import type { Supervisor } from './supervisor.ts'

/**
 * The files that a person named behind `@` in mail, kept for each of these agents as they are now, durable when it resolves. They are read
 * as those of a prompt: what the lead may not read is not attached, and a note says so.
 */
export async function mailFiles(
  supervisor: Supervisor,
  typed: TypedPrompt,
  { team, agents }: { readonly team: TeamHandle; readonly agents: readonly string[] },
): Promise<readonly MailAttachment[]> {
  if (agents.length === 0) return []
  const { lead, context } = supervisor
  // As much as mail may take of a turn.
  const { tokens } = inputBudget({ model: lead.model, maxOutput: context.maxOutput }, () => '')
  const files = await promptFiles(supervisor, typed, tokens, new AbortController().signal)
  const { root, eraser } = context
  const folders = agents.map((agent) =>
    createOutputs({ folder: join(context.outputsOf(team.name), agent), root, eraser }),
  )
  return files.map(({ name, about, text }) => {
    // One name in the folders of all recipients; the same text again is the same file.
    const path = `attached-${hash('sha256', text, 'hex').slice(0, 16)}.txt`
    let sum = ''
    for (const outputs of folders) {
      if (outputs.sumOf(path) === undefined) outputs.restore(path, text)
      sum = outputs.sumOf(path) ?? sum
    }
    return { name, about, path, sum }
  })
}
