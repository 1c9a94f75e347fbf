import { plainText } from '../redaction/plain-text.ts'

/** Where a store reports problems that do not stop it, unless the caller names another place. */
export function warnOnStderr(message: string): void {
  process.stderr.write(plainText(`deskmates: ${message}\n`))
}
