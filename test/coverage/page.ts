import { type Entry, sections } from './spec.ts'
import type { NamedTest } from './test-names.ts'

/** Where a number is proven; a citing suite stands for the tests in it. */
export interface Proof {
  name: string
  file: string
}

/** The proofs of each number, in the order of the tests. */
export function proofsOf(spec: Entry[], tests: NamedTest[]): Map<string, Proof[]> {
  const proofs = new Map<string, Proof[]>(spec.map(({ id }) => [id, []]))
  for (const { file, titles, numbers } of tests)
    for (const [depth, ids] of numbers.entries())
      for (const id of ids) {
        const name = titles.slice(0, depth + 1).join(' › ')
        const known = proofs.get(id)
        if (known && !known.some((proof) => proof.name === name && proof.file === file)) known.push({ name, file })
      }
  return proofs
}

/** The numbers of a part that no test proves yet. */
export function holesOf(part: number, spec: Entry[], proofs: Map<string, Proof[]>): string[] {
  return spec.filter(({ id, parts }) => parts.includes(part) && !proofs.get(id)?.length).map(({ id }) => id)
}

/** The numbers of these whose proofs are all in files other than those that run commands. */
export function withoutCommandTest(
  ids: string[],
  proofs: Map<string, Proof[]>,
  runsCommands: ReadonlySet<string>,
): string[] {
  return ids.filter((id) => !proofs.get(id)?.some(({ file }) => runsCommands.has(file)))
}

/** test/coverage.md: a table per section, number | title | proof. */
export function pageOf(spec: Entry[], proofs: Map<string, Proof[]>, finishedParts: number[]): string {
  const tables = Object.entries(sections).map(([section, { about }]) => {
    const entries = spec.filter(({ id }) => id.startsWith(section))
    const proven = entries.filter(({ id }) => proofs.get(id)?.length).length
    const rows = entries.map((entry) => {
      const cell = proofCell(entry, proofs.get(entry.id) ?? [], finishedParts)
      return `| ${entry.id} | ${escaped(entry.title)} | ${cell} |`
    })
    const heading = `## ${section}. ${about} (${proven} of ${entries.length} with a test)`
    return [heading, '', '| number | what | proof |', '|---|---|---|', ...rows].join('\n')
  })
  return `${intro}\n${tables.join('\n\n')}\n`
}

const intro = `# Coverage

Written by \`npm test\` (\`test/coverage/\`); edits made here are lost. Each number of the specification is proven by the
tests that name it in the comment behind them, as in \`}) // F7, A79\`; or it says which part of the build will prove it,
or why it is not built.
`

function proofCell({ parts, notBuilt, why }: Entry, proofs: Proof[], finishedParts: number[]): string {
  const open = parts.filter((part) => !finishedParts.includes(part))
  // A test is taken for the first part's; later parts still owe their own layer.
  const ahead = proofs.length > 0 ? open.filter((part) => part !== parts[0]) : open
  const cell = proofs.map(({ name, file }) => `[${escaped(name)}](../${file})`)
  if (ahead.length > 0) cell.push(`part ${ahead.join(', ')}${why && proofs.length === 0 ? ` (${escaped(why)})` : ''}`)
  if (notBuilt) cell.push(`not built: ${escaped(notBuilt)}`)
  return cell.join('<br>')
}

function escaped(text: string): string {
  return text.replace(/[\\`*_[\]|<>]/g, '\\$&').replace(/\s+/g, ' ')
}
