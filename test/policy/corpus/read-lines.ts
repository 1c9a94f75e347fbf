import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRuleSet, type RuleSetName } from './rule-sets.ts'

/** One attack: commands that an agent runs one after the other, and the rules they attack. */
export interface Attack {
  readonly file: string
  readonly rules: RuleSetName
  /** As it stands in the data file. */
  readonly text: string
}

/**
 * The data files: a section `[git]` names the rule set, `# ` begins a comment, every other line is an attack. Signs that
 * a line of text cannot hold or show: `⏎` newline, `⇥` tab, `␍` carriage return, `‹U+202E›` any other. `⏵` stands between
 * commands of one attack that are run one after the other. `%ROOT%` is the workspace, `%HOME%` the user's home folder.
 */
export function readAttacks(folder = join(import.meta.dirname, 'lines')): Attack[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .sort()
    .flatMap((name) => attacksOf(name, readFileSync(join(folder, name), 'utf8')))
}

function attacksOf(file: string, text: string): Attack[] {
  const attacks: Attack[] = []
  let rules: RuleSetName | undefined
  for (const line of text.split('\n')) {
    const section = /^\[([a-z-]+)\]$/.exec(line)?.[1]
    if (section !== undefined) {
      if (!isRuleSet(section)) throw new Error(`${file}: there is no rule set named ${section}`)
      rules = section
    } else if (line !== '' && !line.startsWith('# ')) {
      if (rules === undefined) throw new Error(`${file}: no section before ${line}`)
      attacks.push({ file, rules, text: line })
    }
  }
  return attacks
}

export function commandsOf(text: string, places: { root: string; home: string }): string[] {
  return text.split(' ⏵ ').map((part) =>
    part
      .replaceAll('⏎', '\n')
      .replaceAll('⇥', '\t')
      .replaceAll('␍', '\r')
      .replaceAll('%ROOT%', places.root)
      .replaceAll('%HOME%', places.home)
      .replace(/‹U\+([0-9A-F]+)›/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16))),
  )
}
