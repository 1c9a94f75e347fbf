import type { Word } from '../word.ts'
import { refuseCommand } from './tables.ts'
import type { Setting } from './use.ts'

/** Programs with a table that can start other programs: outside of their tables it is unknown which. */
const RUN_OTHERS: ReadonlySet<string> = new Set(
  'git tar sed awk gawk mawk nawk sort rg node python python3 go cargo npm pnpm yarn npx make jq'.split(' '),
)

/** The same without a table: they have options by which they start any program. */
const RUN_ANYTHING: ReadonlySet<string> = new Set(
  `rsync scp sftp wget man less more zip split osascript vi vim nvim view ex ed emacs gdb lldb sqlite3 psql mysql jshell
  irb ipython`.split(/\s+/),
)

/** Given a file they run it; given anything else they run that. */
const INTERPRETERS: ReadonlySet<string> = new Set(
  'perl ruby php lua deno bun tsx ts-node tclsh Rscript julia'.split(' '),
)

const anywhere: Setting = {
  mayRead: () => true,
  mayWrite: () => true,
  mayChange: () => true,
  isFolder: () => true,
  isScript: (path) => path !== '-' && !/^\/(dev|proc)(\/|$)/.test(path),
  exists: () => false,
}

/** Whether a table describes this use: then a substitution in it is text for an option, and no path. */
export function isKnownUse(words: readonly Word[]): boolean {
  return refuseCommand(words, anywhere) === undefined
}

/** Why it is unknown which programs this command starts, undefined where it is known. Where it does so is not looked at. */
export function unknownUse(words: readonly Word[]): string | undefined {
  const path = words[0]?.text ?? ''
  const name = path.slice(path.lastIndexOf('/') + 1)
  const [first] = words.slice(1)
  if (RUN_ANYTHING.has(name)) return `${name} can run anything`
  if (INTERPRETERS.has(name))
    return /^(--version|-v|[\w./][^\s]*)$/.test(first?.text ?? '') && !/^\/(dev|proc)(\/|$)/.test(first!.text!)
      ? undefined
      : `what ${name} runs is not known before`
  if (!RUN_OTHERS.has(name)) return undefined
  return refuseCommand([{ raw: name, text: name }, ...words.slice(1)], anywhere)
}
