import { createRedactor } from '../../redaction/redactor.ts'
import type { Context, Output } from '../program/context.ts'
import { onTerminal } from './colours.ts'

/**
 * The one place where text leaves the process: every command writes to these two streams and to nothing else, so no
 * screen, log, event or warning has to think of secrets, or of signs that a terminal obeys. Those are taken out of
 * everything, also in a pipe, whose end may be a terminal; in JSON they are escaped. `flush` writes what was held back, at the end.
 */
export function redacted(context: Context): { context: Context; flush(): Promise<void> } {
  const redactor = createRedactor(context.env)
  const guard = (output: Output) => {
    const stream = redactor.stream()
    const write: Output['write'] = (text, done) => {
      const safe = shown(stream.write(text))
      return safe === '' ? done() : output.write(safe, done)
    }
    const flush = () =>
      new Promise<void>((resolve, reject) => {
        const rest = onTerminal(held + stream.end())
        held = ''
        if (rest === '') resolve()
        else output.write(rest, (error) => (error ? reject(error) : resolve()))
      })
    // Half of a line end or of a letter is shown with its other half.
    let held = ''
    const shown = (text: string) => {
      const [, whole = '', half = ''] = /^([\s\S]*?)([\r\ud800-\udbff]?)$/.exec(held + text) ?? []
      held = half
      return onTerminal(whole)
    }
    return {
      write,
      flush,
      get columns() {
        return output.columns
      },
      get rows() {
        return output.rows
      },
    }
  }
  const [stdout, stderr] = [guard(context.stdout), guard(context.stderr)]
  return {
    context: { ...context, stdout, stderr },
    async flush() {
      // A closed stream has no reader for what is left.
      await stdout.flush().catch(() => {})
      await stderr.flush().catch(() => {})
    },
  }
}
