import { counted } from '../../team/wording.ts'
import { colours, plain } from '../output/format.ts'
import { print } from '../output/print.ts'
import { wrapped } from '../output/wrap.ts'
import type { Call } from '../program/context.ts'
import { version } from '../program/version.ts'
import type { Examined, Listener } from './examine-machine.ts'

/** For people: one line each and, on a terminal, what is being tried right now. */
export interface Report extends Listener, AsyncDisposable {
  closing(all: readonly Examined[], took: number): Promise<void>
}

const VERDICT = 'not available'.length
const NAME = 'append and sync'.length
/** Back to the beginning of the line, and the rest of it away. */
const WIPE = '\r\x1b[K'

export function openReport(call: Call): Report {
  const { bold, dim, green, red, yellow } = colours(call)
  const paints = { pass: green, fail: red, 'not available': yellow }
  const isMoving = call.isTerminal && call.env.TERM !== 'dumb'
  let isShown = false
  let advised: string | null = null

  /** What is being tried gives way to what comes next. */
  async function line(text: string): Promise<void> {
    await print(call, isShown ? `${WIPE}${text}` : text)
    isShown = false
  }

  /** What does not fit on its line stands below the name. */
  const below = (text: string) => (call.isTerminal ? wrapped(text, call.stdout.columns, VERDICT + 4) : text)

  return {
    async begins(name, number, of) {
      if (number === 1 && call.isTerminal) await line(`${bold('deskmates doctor')}  ${dim(facts())}\n\n`)
      if (!isMoving) return
      await line(`  ${dim(`${number}/${of}  ${name} …`)}`)
      isShown = true
    },
    async ended({ name, verdict, detail, remedy }, took) {
      const about = `${paints[verdict](verdict.padEnd(VERDICT))}  ${name.padEnd(NAME)}  ${dim(seconds(took).padStart(7))}`
      // One cause may be behind several findings, and one remedy is enough for them.
      const advice = remedy === null || remedy === advised ? '' : `  ${' '.repeat(VERDICT)}  → ${plain(remedy)}\n`
      advised = remedy ?? advised
      await line(below(`  ${about}  ${plain(detail)}\n${advice}`))
    },
    async closing(all, took) {
      const count = (wanted: Examined['verdict']) => all.filter(({ verdict }) => verdict === wanted).length
      const failed = count('fail')
      const care = counted(failed, 'thing needs', 'things need')
      const verdict = failed === 0 ? green('All is well') : red(`${care} care`)
      const counts = `${count('pass')} passed, ${failed} failed, ${count('not available')} not available`
      await line(`\n${verdict}: ${counts}, in ${seconds(took)}\n`)
    },
    async [Symbol.asyncDispose]() {
      if (isShown) await line('')
    },
  }
}

/** For programs, which get everything at the end. */
export function openSilence(): Report {
  return { async begins() {}, async ended() {}, async closing() {}, async [Symbol.asyncDispose]() {} }
}

function facts(): string {
  return `${version}, Node ${process.versions.node}, ${process.platform} ${process.arch}`
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`
}
