/** One line of a git configuration: `remote.origin.url` has the section `remote`, the part `origin` and the name `url`. */
export interface ConfigEntry {
  readonly section: string
  readonly part: string
  readonly name: string
  readonly value: string
}

/** The entries of a git configuration; undefined if any of it is not in the plain form in which git writes it. */
export function readGitConfig(text: string): ConfigEntry[] | undefined {
  const entries: ConfigEntry[] = []
  let section: { section: string; part: string } | undefined
  for (const line of text.split('\n')) {
    const rest = line.trim()
    if (rest === '' || /^[#;]/.test(rest)) continue
    const header = /^\[([A-Za-z\d-]+)(?:\s+"((?:[^"\\]|\\["\\])*)")?\]$/.exec(rest)
    if (header) {
      section = { section: header[1]!.toLowerCase(), part: (header[2] ?? '').replace(/\\(.)/g, '$1') }
      continue
    }
    const entry = /^([A-Za-z][A-Za-z\d-]*)(?:\s*=\s*(.*))?$/.exec(rest)
    const value = entry && unquoted(entry[2])
    if (!section || !entry || value === undefined || value === null) return undefined
    entries.push({ ...section, name: entry[1]!.toLowerCase(), value })
  }
  return entries
}

/** A name alone means true. A value goes on behind a `\` at the end of its line; that is not a plain form. */
function unquoted(value: string | undefined): string | undefined {
  if (value === undefined) return 'true'
  const [, quoted, bare] = /^(?:"((?:[^"\\]|\\["\\nt])*)"|((?:[^"\\#;]|\\["\\nt])*))\s*(?:[#;].*)?$/.exec(value) ?? []
  return (quoted ?? bare)?.trim().replace(/\\(["\\])/g, '$1')
}

/**
 * The first entry by which git could run a program, or read configuration elsewhere. Described by what is harmless, so
 * that what a later git learns is not.
 */
export function firstUnsafe(entries: readonly ConfigEntry[]): string | undefined {
  const found = entries.find(
    (entry) => !HARMLESS.some(({ key, value }) => key.test(keyOf(entry)) && value.test(entry.value)),
  )
  return found && [found.section, found.part, found.name].filter(Boolean).join('.')
}

function keyOf({ section, part, name }: ConfigEntry): string {
  return part === '' ? `${section}.${name}` : `${section}.*.${name}`
}

const ANY = /^/
const HARMLESS: readonly { key: RegExp; value: RegExp }[] = [
  {
    key: /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|compression|protecthfs|protectntfs)$/,
    value: ANY,
  },
  { key: /^extensions\.objectformat$/, value: /^sha(1|256)$/ },
  { key: /^(user|author|committer)\.(name|email)$/, value: ANY },
  { key: /^remote\.\*\.(url|pushurl)$/, value: /^(?!-)(?!.*::)/ },
  { key: /^remote\.\*\.(fetch|push|tagopt|prune)$/, value: ANY },
  { key: /^branch\.\*\.(remote|merge|rebase|description)$/, value: /^(?!-)(?!.*::)/ },
  { key: /^submodule\.\*\.url$/, value: /^(?!-)(?!.*::)/ },
  { key: /^submodule\.\*\.active$/, value: ANY },
  { key: /^submodule\.\*\.update$/, value: /^(checkout|merge|rebase|none)$/ },
  { key: /^(pull\.(rebase|ff)|push\.default|fetch\.prune|init\.defaultbranch|gc\.auto|merge\.ff)$/, value: ANY },
  { key: /^(advice|color)\.(\*\.)?\w+$/, value: ANY },
  { key: /^lfs\.repositoryformatversion$/, value: ANY },
  { key: /^filter\.\*\.(clean|smudge|process)$/, value: /^git-lfs (clean|smudge|filter-process)( --skip)?( -- %f)?$/ },
  { key: /^filter\.\*\.required$/, value: ANY },
]

/** The words of everything that is not harmless: each may be the path of a program or of further configuration. */
export function unsafeWords(text: string): string[] {
  const entries = readGitConfig(text)
  const values = entries
    ? entries.filter((entry) => firstUnsafe([entry]) !== undefined).map(({ value }) => value)
    : text.split('\n').map((line) => line.split('=').slice(1).join('='))
  const words = values.flatMap((value) => [value.trim(), ...value.split(/[\s"'`;|&()<>!]+/)])
  return [...new Set(words.filter(Boolean))]
}

/** Where git looks for further configuration and for hooks. */
export function orderPaths(text: string): string[] {
  return [...text.matchAll(/^\s*(?:hooksPath|path)\s*=\s*"?(.+?)"?\s*$/gim)].map(([, path = '']) => path)
}
