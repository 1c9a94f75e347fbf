import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import xterm from '@xterm/headless'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { hostileComponents } from '../testing/terminal/hostile-components.ts'
import { hostileHost } from '../testing/terminal/hostile-host.ts'
import { hostileTexts } from '../testing/terminal/hostile-texts.ts'
import type { Drawn } from './drawing/drawn.ts'
import { noticeSequence } from './drawing/notices.ts'
import { createCompletion } from './input/completion.ts'
import { runSlashCommand, slashNames } from './slash/registry.ts'

const folder = import.meta.dirname
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => [file, readFileSync(join(folder, file), 'utf8')] as const)

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what they find.
const COLOUR = /\x1b\[[\d;]*m/g
const HARMFUL = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/u
const NOTICE = /^\x07\x1b\]9;(.*)\x07\x1b\]777;notify;deskmates;(.*)\x07$/su
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: control characters are what they find.

describe('every part of the screen', () => {
  it('is drawn through lines that are made harmless: only drawing/ writes to a terminal', () => {
    const forbidden = /\.ansi\b|\.ofComponent\b|\.write\(|process\.std(?:out|err)|console\.|\.setTitle\(/
    const found = sources
      .filter(([file]) => !file.startsWith('drawing/') && !PASSES_COLOURS.has(file))
      .flatMap(([file, text]) => text.split('\n').flatMap((line) => (forbidden.test(line) ? [`${file}: ${line}`] : [])))
    expect(found).toEqual([])
  })

  it('is in the table of parts that are tried with hostile texts', () => {
    const drawing = sources.flatMap(([file, text]) => drawingIn(file, text)).sort()
    expect(drawing.filter((name) => !NOT_TRIED.has(name))).toEqual(Object.keys(hostileComponents).sort())
  })

  it.for([80, 23])('draws hostile texts in rows of %i columns, and nothing of them is obeyed', async (columns) => {
    // Each seed once where rows are narrow: that takes many lines.
    const texts = columns === 80 ? hostileTexts : hostileTexts.filter((_, i) => i % 5 === 0)
    const components = Object.entries(hostileComponents).map(([name, draw]) => ({ name, draw, lines: [] as Drawn[] }))
    for (const text of texts)
      for (const { draw, lines } of components) lines.push(...draw(text, columns).slice(0, MAX_LINES))
    for (const { name, lines } of components) {
      expect(lines.length, name).toBeGreaterThan(0)
      await expectRows(name, lines, columns)
    }
  })

  it('prints hostile texts in rows for each command', async () => {
    const names = slashNames(hostileHost('x').host).map(({ name }) => name)
    const lines: Drawn[] = []
    for (const text of hostileTexts) {
      const { host, printed } = hostileHost(text)
      for (const name of names) await runSlashCommand(host, name, text)
      await runSlashCommand(host, text, text)
      lines.push(...printed(80).slice(0, 20 * MAX_LINES))
    }
    await expectRows('commands', lines, 80)
  })

  it('completes hostile names, which stay in their row', async () => {
    const all = hostileTexts.map((text) => ({ name: `x${text}`, about: text }))
    const completion = createCompletion({ cwd: folder, commands: () => all, members: () => all })
    for (const typed of ['/x', '@x']) {
      const found = await completion.getSuggestions([typed], 0, 2, { signal: new AbortController().signal })
      expect(found!.items.length).toBeGreaterThan(10)
      for (const { value, label, description } of found!.items)
        for (const text of [value, label, description!]) expect(text).not.toMatch(HARMFUL)
    }
  })

  it('puts hostile texts into a notice of the desktop that ends where it ends', () => {
    for (const text of hostileTexts) {
      const inner = NOTICE.exec(noticeSequence(text, 'desktop', {}))
      expect(inner, JSON.stringify(text)).not.toBeNull()
      for (const part of inner!.slice(1)) expect(part).not.toMatch(HARMFUL)
      expect(inner![2]).not.toContain(';')
    }
  })
})

const MAX_LINES = 40

/** The status line of the user's own program may have colours, and nothing else. */
const PASSES_COLOURS: ReadonlySet<string> = new Set(['status-line/coloured-lines.ts'])

/** Fields of the class of lines itself, tried in `hostile-texts.test.ts`; parts that only pass lines on. */
const NOT_TRIED: ReadonlySet<string> = new Set([
  'drawing/drawn.ts Drawn.line',
  'drawing/drawn.ts Drawn.painter',
  'drawing/drawn.ts Drawn.ofComponent',
  'drawing/drawn.ts Drawn.fit',
  'drawing/drawn.ts Drawn.fill',
  'layout.ts arrange',
  'app.ts App.cover',
  'status-line/status-line.ts StatusLine.lines',
])

/** Measured by a terminal of others: each line takes one row, and no character of it does more than stand there. */
async function expectRows(name: string, lines: readonly Drawn[], columns: number): Promise<void> {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows: 10,
    scrollback: lines.length + 10,
    allowProposedApi: true,
  })
  // One comparison for all of them: a call of expect costs more than drawing a line.
  expect(
    lines.map(({ ansi }) => ansi.replace(COLOUR, '')).filter((line) => HARMFUL.test(line)),
    name,
  ).toEqual([])
  await new Promise<void>((resolve) => terminal.write(lines.map(({ ansi }) => `${ansi}\x1b[0m`).join('\r\n'), resolve))
  const { active } = terminal.buffer
  for (let row = 0; row < active.length; row++)
    if (active.getLine(row)!.isWrapped)
      expect.fail(
        `${name}: wider than ${columns} columns: ${JSON.stringify(active.getLine(row - 1)!.translateToString())}`,
      )
  expect(active.baseY + active.cursorY + 1, name).toBe(lines.length)
  terminal.dispose()
}

/** Exported functions, and public methods of exported classes, whose result can be drawn. */
function drawingIn(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const isDrawn = (node: ts.SignatureDeclaration) =>
    /\b(Drawn|OpenView|Block|ArrangedLines)\b/.test(node.type?.getText(source) ?? '')
  const isOpen = (node: ts.Node, modifier: ts.SyntaxKind) =>
    ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === modifier) === true
  return source.statements.flatMap((statement) => {
    if (!isOpen(statement, ts.SyntaxKind.ExportKeyword)) return []
    if (ts.isFunctionDeclaration(statement)) return isDrawn(statement) ? [`${file} ${statement.name!.text}`] : []
    if (!ts.isClassDeclaration(statement)) return []
    return statement.members.flatMap((member) => {
      const isPrivate =
        isOpen(member, ts.SyntaxKind.PrivateKeyword) || member.name?.kind === ts.SyntaxKind.PrivateIdentifier
      const isMethod = ts.isMethodDeclaration(member) || ts.isGetAccessorDeclaration(member)
      if (isPrivate || !isMethod || !isDrawn(member)) return []
      return [`${file} ${statement.name!.text}.${member.name.getText(source)}`]
    })
  })
}
