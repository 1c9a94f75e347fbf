import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const src = fileURLToPath(new URL('../src/', import.meta.url))

interface Import {
  readonly file: string
  /** A path below src, or the name of a package. */
  readonly what: string
  readonly inside: boolean
  /** Erased before anything runs. */
  readonly typeOnly: boolean
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((file) => file.split(sep).join('/'))
  .filter((file) => file.endsWith('.ts'))
const isTest = (file: string) => file.endsWith('.test.ts')
const everyImport = files.flatMap(importsOf)
/** What stands beside tests and is imported by nothing else is a test too. */
const imported = (what: string, byTest: boolean) =>
  everyImport.some((other) => other.what === what && isTest(other.file) === byTest)
const shipped = files.filter((file) => !isTest(file) && (imported(file, false) || !imported(file, true)))
const imports = everyImport.filter(({ file }) => shipped.includes(file))
const inner = imports.filter(({ inside }) => inside)

/** What each folder may import. Only the command line and the library put stores and runtime together. */
const LOW = ['journal', 'team', 'redaction']
const mayImport: Record<string, readonly string[]> = {
  team: [],
  redaction: [],
  journal: ['team', 'redaction'],
  stores: LOW,
  models: LOW,
  prompts: ['team'],
  permissions: ['journal', 'team'],
  tools: ['permissions', 'prompts', 'models', ...LOW],
  agent: ['tools', 'permissions', 'prompts', 'models', ...LOW],
  supervisor: ['agent', 'tools', 'permissions', 'prompts', 'models', ...LOW],
  'workspace.ts': ['stores', ...LOW],
  settings: ['tools', 'permissions', 'models', ...LOW],
  session: [
    'workspace.ts',
    'settings',
    'supervisor',
    'agent',
    'tools',
    'permissions',
    'prompts',
    'models',
    'stores',
    ...LOW,
  ],
  testing: ['supervisor', 'agent', 'tools', 'permissions', 'stores', 'models', ...LOW],
  cli: [
    'session',
    'settings',
    'workspace.ts',
    'supervisor',
    'agent',
    'tools',
    'permissions',
    'prompts',
    'stores',
    'models',
    ...LOW,
  ],
  'index.ts': ['session', 'workspace.ts', 'supervisor', 'agent', 'tools', 'permissions', 'stores', 'models', ...LOW],
}

describe('the arrows', () => {
  it('point inward: cli → session → supervisor → agent → tools → permissions → journal → team', () => {
    const wrong = inner.filter(({ file, what }) => {
      const [from, to] = [folderOf(file), folderOf(what)]
      return from !== to && !mayImport[from]?.includes(to)
    })
    expect(wrong.map(told)).toEqual([])
  })

  it('never go round in a circle between folders', () => {
    const next = new Map<string, Set<string>>()
    for (const { file, what } of inner) {
      if (folderOf(file) === folderOf(what)) continue
      next.set(folderOf(file), (next.get(folderOf(file)) ?? new Set()).add(folderOf(what)))
    }
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
      [...(next.get(from) ?? [])].some((step) => {
        if (step === to) return true
        if (seen.has(step)) return false
        seen.add(step)
        return reaches(step, to, seen)
      })
    expect([...next.keys()].filter((folder) => reaches(folder, folder))).toEqual([])
  })

  it('between stores do not exist: memory, files and what comes later know nothing of each other', () => {
    const storeOf = (path: string) => /^stores\/([^/]+)\//.exec(path)?.[1]
    const wrong = inner.filter(({ file, what }) => {
      const [from, to] = [storeOf(file), storeOf(what)]
      return from !== undefined && to !== undefined && from !== to
    })
    expect(wrong.map(told)).toEqual([])
  })
})

describe('the team', () => {
  it('imports itself and zod, so that it is given facts and returns facts', () => {
    const packages = imports.filter(({ file, inside }) => folderOf(file) === 'team' && !inside)
    expect(packages.filter(({ what }) => what !== 'zod').map(told)).toEqual([])
  })

  it('looks at no clock, no chance and no process', () => {
    const world = /\b(Date\.now|new Date|Math\.random|setTimeout|setInterval|process\.|performance\.|crypto\.|fetch\()/
    const wrong = shipped.filter((file) => folderOf(file) === 'team' && world.test(withoutComments(file)))
    expect(wrong).toEqual([])
  })
})

describe('the tree', () => {
  it('has no drawer for odds and ends', () => {
    expect(files.filter((file) => /(^|\/)(utils?|helpers?|common|misc|shared|lib)(\/|\.ts$)/.test(file))).toEqual([])
  })

  it('has only folders that somebody drew an arrow for', () => {
    const unknown = files.map(folderOf).filter((folder) => !(folder in mayImport))
    expect([...new Set(unknown)]).toEqual([])
  })

  it('has files that can be read in one sitting', () => {
    const lines = (file: string) => readFileSync(join(src, file), 'utf8').split('\n').length - 1
    expect(
      shipped.map((file) => `${file}: ${lines(file)}`).filter((text) => Number(text.split(': ')[1]) > 350),
    ).toEqual([])
  })

  it('loads no test runner outside of testing/', () => {
    const runners = imports.filter(
      ({ what, file }) => /^(vitest|fast-check)$/.test(what) && folderOf(file) !== 'testing',
    )
    expect(runners.map(told)).toEqual([])
  })
})

function importsOf(file: string): Import[] {
  const source = ts.createSourceFile(file, readFileSync(join(src, file), 'utf8'), ts.ScriptTarget.Latest)
  const found: Import[] = []
  const note = (specifier: ts.Node, typeOnly: boolean) => {
    if (!ts.isStringLiteralLike(specifier)) return
    const path = join(dirname(file), specifier.text).split(sep).join('/')
    const inside = specifier.text.startsWith('.') && !path.startsWith('../')
    found.push({ file, what: inside ? path : specifier.text, inside, typeOnly })
  }
  const walk = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) note(node.moduleSpecifier, isTypeOnly(node))
    if (ts.isExportDeclaration(node) && node.moduleSpecifier) note(node.moduleSpecifier, node.isTypeOnly)
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      note(node.arguments[0]!, false)
    ts.forEachChild(node, walk)
  }
  walk(source)
  return found
}

function isTypeOnly({ importClause }: ts.ImportDeclaration): boolean {
  if (!importClause) return false
  if (importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const names = importClause.namedBindings
  return (
    !importClause.name &&
    names !== undefined &&
    ts.isNamedImports(names) &&
    names.elements.every((name) => name.isTypeOnly)
  )
}

function folderOf(path: string): string {
  return path.split('/')[0]!
}

function told({ file, what }: Import): string {
  return `${file} imports ${what}`
}

function withoutComments(file: string): string {
  return readFileSync(join(src, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
}
