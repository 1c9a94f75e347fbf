import type { Word } from '../word.ts'
import { FILES, refuseTar } from './files.ts'
import { GIT } from './git.ts'
import { LANGUAGES, PYTHON_MODULES } from './languages.ts'
import { NODE } from './node.ts'
import { refuseAwk, refuseSed } from './sed-awk.ts'
import { TEXT } from './text.ts'
import { refuseUse, type Setting, type Uses } from './use.ts'

const TABLES: ReadonlyMap<string, Uses> = new Map(
  Object.entries({ ...FILES, ...TEXT, ...NODE, ...LANGUAGES, git: GIT }),
)

type Refuse = (words: readonly Word[], setting: Setting) => string | undefined

/** Programs that are given a program, or letters that a table cannot describe. */
const READERS: ReadonlyMap<string, Refuse> = new Map<string, Refuse>([
  ['tar', refuseTar],
  ['sed', refuseSed],
  ...['awk', 'gawk', 'mawk', 'nawk'].map((name): [string, Refuse] => [name, refuseAwk]),
])

/** Whether there is a table of harmless uses of this program. */
export function isKnownProgram(name: string): boolean {
  return TABLES.has(name) || READERS.has(name)
}

/** Why a rule with `*` does not cover this command although it names the program; undefined if it does. */
export function refuseCommand(words: readonly Word[], setting: Setting): string | undefined {
  const name = words[0]?.text
  if (name === undefined) return 'its program is not known before it runs'
  const rest = words.slice(1)
  const reader = READERS.get(name)
  if (reader) return reader(rest, setting)
  const module = /^python3?$/.test(name) && rest[0]?.text === '-m' ? rest[1]?.text : undefined
  if (module !== undefined) {
    const uses = Object.hasOwn(PYTHON_MODULES, module) ? PYTHON_MODULES[module] : undefined
    return uses
      ? refuseUse(`${name} -m ${module}`, uses, rest.slice(2), setting)
      : `${name} -m ${module} is not among its known uses`
  }
  const uses = TABLES.get(name)
  return uses ? refuseUse(name, uses, rest, setting) : `there is no table of harmless uses of ${name}`
}
