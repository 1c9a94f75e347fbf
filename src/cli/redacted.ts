import { createRedactor } from '../redaction/redactor.ts'
import type { Context, Output } from './context.ts'

/**
 * The one place where text leaves the process: every command writes to these two streams and to nothing else, so no
 * screen, log, event or warning has to think of secrets. `flush` writes what was held back, at the end.
 */
export function redacted(context: Context): { context: Context; flush(): Promise<void> } {
  const redactor = createRedactor(context.env)
  const guard = (output: Output) => {
    const stream = redactor.stream()
    const write: Output['write'] = (text, done) => {
      const safe = stream.write(text)
      return safe === '' ? done() : output.write(safe, done)
    }
    const flush = () =>
      new Promise<void>((resolve) => {
        const rest = stream.end()
        if (rest === '') resolve()
        else output.write(rest, () => resolve())
      })
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
      await stdout.flush()
      await stderr.flush()
    },
  }
}
