import type { MailFile, ToolContext, ToolResult } from '../tool.ts'

/** Bytes of text, and characters of images, in one result: more fits into no line of a log and into no model. */
const MAX_TEXT_BYTES = 1024 * 1024
const MAX_IMAGE_CHARACTERS = 10 * 1024 * 1024

/**
 * What a tool returned, as something that can stand in a conversation for ever. Tools of other people return objects,
 * nothing at all, or everything there is.
 */
export async function asResult(returned: unknown, name: string, { outputs }: ToolContext): Promise<ToolResult> {
  const { text, isError, images = [], mail, files, task } = isResult(returned) ? returned : { text: inWords(returned) }
  const isShown = images.reduce((sum, { data }) => sum + data.length, 0) <= MAX_IMAGE_CHARACTERS
  const told = isShown ? text : `${text}\n[its images are left out: together they are too large. Ask for fewer at once]`
  return {
    text: Buffer.byteLength(told) > MAX_TEXT_BYTES ? await outputs.fit(told, name) : told,
    ...(isError !== undefined && { isError }),
    ...(isShown && images.length > 0 && { images }),
    ...(typeof task === 'string' && { task }),
    ...(Array.isArray(files) && { files: files.filter(isMailFile) }),
    ...(Array.isArray(mail) && { mail: mail.filter((id) => typeof id === 'string') }),
  }
}

function isMailFile(value: unknown): value is MailFile {
  const { message, path } = (value ?? {}) as Partial<MailFile>
  return typeof message === 'string' && typeof path === 'string'
}

function isResult(returned: unknown): returned is ToolResult {
  return typeof returned === 'object' && returned !== null && 'text' in returned && typeof returned.text === 'string'
}

function inWords(returned: unknown): string {
  if (typeof returned === 'string') return returned
  return returned === undefined ? '(it returned nothing)' : (JSON.stringify(returned) ?? String(returned))
}
