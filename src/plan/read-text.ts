import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

/** The text of a file, or why there is none. */
export type FileText = { readonly text: string } | { readonly problem: string; readonly fix: string }

/** Reads a text file of at most `maxBytes`. Never waits: a pipe or device under this name is refused, not read. */
export function readText(file: string, { maxBytes, ifMissing }: { maxBytes: number; ifMissing: string }): FileText {
  try {
    const bytes = bytesOf(file, maxBytes)
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { problem: 'the file does not exist', fix: ifMissing }
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      return { problem: 'the file is not UTF-8 text', fix: 'Save it as UTF-8.' }
    const fix = `Name a readable file of at most ${Math.round(maxBytes / 2 ** 20)} MB.`
    return { problem: `the file cannot be read: ${message}`, fix }
  }
}

function bytesOf(file: string, maxBytes: number): Uint8Array {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) throw new Error('it is not a regular file')
    if (stat.size > maxBytes) throw new Error(`it has ${stat.size} bytes`)
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
