import { plainText, safeJson } from '../redaction/plain-text.ts'
import { createRedactor } from '../redaction/redactor.ts'
import { explain, wantsJson } from './program/failure.ts'

/** Prints an error that no code expected, as every other error is printed; resolves to the exit code. */
export function reportUncaught(error: unknown, argv: readonly string[]): Promise<number> {
  const { code, message, exit } = explain(error, process.env)
  const text = wantsJson(argv) ? safeJson({ error: { code, message } }) : `deskmates: ${message}`
  return new Promise((resolve) => {
    process.stderr.write(plainText(createRedactor(process.env).text(`${text}\n`)), () => resolve(exit))
  })
}
