import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { testsIn } from './coverage/test-names.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

/** Pronouns that hide the subject: write user, caller, agent, process. */
const VAGUE = /\b(whoever|nobody|somebody|everybody)\b/i

/** Metaphors of the former code base. None of them is a word or a part of a name: `crew`, `deskOf`, `isHeard`. */
const METAPHORS = new Set(
  `aside crew desk desks dismiss door errand errands floor harvest heard hears lane lanes letter letterbox letters lives
  losses mend mends mind minds news nudge office practice rests room rooms seat seats stir stirred takeup told turnstile
  voice weave wish wishes`.split(/\s+/),
)

/** Places that are left per folder, to be found with `npm run t -- test/words.test.ts`. A number only gets smaller. */
const LEFT: Record<'titles' | 'vague' | 'metaphors', Record<string, number>> = {
  titles: {},
  vague: {},
  // `losses` is a key of snapshots on disk.
  metaphors: { 'src/team': 2 },
}

const SELF = 'test/words.test.ts'
const files = ['src', 'test', 'docs', 'scripts', 'bench', 'examples', 'bin']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  )
  .map((path) => path.split(sep).join('/'))
  .concat('README.md', 'AGENTS.md', 'CHANGELOG.md')
  .filter((path) => /\.(ts|mjs|cjs|md)$/.test(path) && path !== SELF && path !== 'test/coverage.md')
  .sort()

interface Place {
  readonly file: string
  readonly line: number
  readonly text: string
}

describe('words', () => {
  it('of a test title are fewer than 100 characters', () => {
    const long = files
      .filter((file) => /\.ts$/.test(file) && /^(src|test)\//.test(file))
      .flatMap((file) => testsIn(file, textOf(file)))
      .filter(({ titles }) => (titles.at(-1) ?? '').length >= 100)
    expectNoMore(
      'titles',
      long.map(({ file, titles }) => ({ file, line: lineOf(file, titles.at(-1)!), text: titles.at(-1)! })),
    )
  })

  it('in sources, tests, prompts and documents name their subject', () => {
    expectNoMore(
      'vague',
      files.flatMap((file) => matchesIn(file, VAGUE)),
    )
  })

  it('in names are no metaphors', () => {
    const sources = files.filter((file) => /^(src|test|scripts|bench)\/.*\.(ts|mjs)$/.test(file))
    expectNoMore('metaphors', sources.flatMap(metaphorsIn))
  })
})

/** Fails with the places of each folder that has more of them than are left to it. */
function expectNoMore(kind: keyof typeof LEFT, places: readonly Place[]): void {
  const folders = new Map<string, Place[]>()
  for (const place of places) folders.set(folderOf(place.file), [...(folders.get(folderOf(place.file)) ?? []), place])
  const more = [...folders].filter(([folder, found]) => found.length > (LEFT[kind][folder] ?? 0))
  const shown = more.flatMap(([folder, found]) => [
    `${folder}: ${found.length}, left ${LEFT[kind][folder] ?? 0}`,
    ...found.slice(0, 200).map(({ file, line, text }) => `  ${file}:${line} ${text.trim().slice(0, 120)}`),
  ])
  expect(shown.join('\n')).toBe('')
}

function folderOf(file: string): string {
  return /^(src|test)\//.test(file) ? file.split('/').slice(0, 2).join('/') : file.split('/')[0]!
}

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

function matchesIn(file: string, pattern: RegExp): Place[] {
  return textOf(file)
    .split('\n')
    .flatMap((text, index) => (pattern.test(text) ? [{ file, line: index + 1, text }] : []))
}

/** Identifiers with a metaphor in them, once per file where they stand first, and file names. */
function metaphorsIn(file: string): Place[] {
  const text = textOf(file)
  const found = new Map<string, Place>()
  if (hasMetaphor(file.split('/').at(-1)!)) found.set(file, { file, line: 0, text: 'the name of the file' })
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
  const walk = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && !found.has(node.text) && hasMetaphor(node.text)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
      found.set(node.text, { file, line: line + 1, text: node.text })
    }
    ts.forEachChild(node, walk)
  }
  walk(source)
  return [...found.values()]
}

/** A key of the settings, which the design names. */
const SETTINGS_KEY = 'leadHears'

function hasMetaphor(name: string): boolean {
  const parts = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[^A-Za-z]+/)
  return name !== 'floor' && name !== SETTINGS_KEY && parts.some((part) => METAPHORS.has(part.toLowerCase()))
}

function lineOf(file: string, title: string): number {
  const start = title.split('…')[0]!.slice(0, 40)
  return (
    textOf(file)
      .split('\n')
      .findIndex((line) => line.replaceAll('\\', '').includes(start)) + 1
  )
}
