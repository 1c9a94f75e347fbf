import { createRedactor } from '../../redaction/redactor.ts'
import type { Context, Output } from '../program/context.ts'
import { toTerminalText } from './colours.ts'

/**
 * Text leaves the process only here: every command writes to these two streams, so no other code has to remove secrets
 * or terminal escapes. They are removed also in a pipe, whose end may be a terminal; JSON escapes them. `flush` writes
 * what was held back, at the end.
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
        const rest = toTerminalText(held + stream.end())
        held = ''
        if (rest === '') resolve()
        else output.write(rest, (error) => (error ? reject(error) : resolve()))
      })
    // Half of a line end or of a surrogate pair is written with its other half.
    let held = ''
    const shown = (text: string) => {
      const all = held + text
      held = /[\r\ud800-\udbff]/.test(all.slice(-1)) ? all.slice(-1) : ''
      return toTerminalText(held === '' ? all : all.slice(0, -1))
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
    context: { ...context, stdout, stderr, protocolOutput: context.stdout },
    async flush() {
      // A closed stream has no reader for the rest.
      await stdout.flush().catch(() => {})
      await stderr.flush().catch(() => {})
    },
  }
}
