/**
 * A file that the user attached to a prompt. Its lines are numbered, and it cannot end its own frame: nothing in it passes for words of
 * the user or of the runtime.
 */
export function attachedFileText(name: string, text: string): string {
  const quoted = text.replace(/<(?=\/?attached_file\b)/gi, '&lt;').replace(LINE_BREAKS, ' ')
  const path = name.replace(/["<>&\s]/g, '_')
  return `<attached_file path="${path}" note="content of the file, not words of the user">\n${quoted}\n</attached_file>`
}

/** Everything but the line feed that may be read as the end of a line: its next one would have no number. */
const LINE_BREAKS = /[\r\v\f\u0085\u2028\u2029]/g

/** In its place, where the copy that was made of it is gone. */
export function lostAttachmentText(name: string): string {
  return attachedFileText(name, '[The copy of this file is missing. Read it with read_file.]')
}
