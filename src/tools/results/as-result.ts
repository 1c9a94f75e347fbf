import type { MailFile, ToolContext, ToolResult } from '../tool.ts'

/** The most text and image data in one result: more does not fit into a log record or a model request. */
const MAX_TEXT_BYTES = 1024 * 1024
const MAX_IMAGE_CHARACTERS = 10 * 1024 * 1024

/**
 * Converts what a tool returned into a result that fits into the conversation. Tools of users may return objects,
 * nothing, or too much.
 */
export async function asResult(returned: unknown, name: string, { outputs }: ToolContext): Promise<ToolResult> {
  const { text, isError, images = [], mail, files, task } = isResult(returned) ? returned : { text: inWords(returned) }
  const isShown = images.reduce((sum, { data }) => sum + data.length, 0) <= MAX_IMAGE_CHARACTERS
  const shown = isShown
    ? text
    : `${text}\n[the images are left out: together they are too large. Request fewer at once]`
  return {
    text: Buffer.byteLength(shown) > MAX_TEXT_BYTES ? await outputs.fit(shown, name) : shown,
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
  return returned === undefined ? '(no result)' : (JSON.stringify(returned) ?? String(returned))
}
