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
/** A file that only tests import is part of the tests. */
const imported = (what: string, byTest: boolean) =>
  everyImport.some((other) => other.what === what && isTest(other.file) === byTest)
const shipped = files.filter((file) => !isTest(file) && (imported(file, false) || !imported(file, true)))
const imports = everyImport.filter(({ file }) => shipped.includes(file))
const inner = imports.filter(({ inside }) => inside)

const LOW = ['journal', 'team', 'redaction']
const ALL_BUT_CLI = [
  'acp/agent',
  'acp/client',
  'mcp/server',
  'terminal',
  'view',
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
  'plan',
  'organisation',
  'mcp/client',
  ...LOW,
]
/** Which folders each folder may import. Only the session, the command line and the library compose stores and agents. */
const mayImport: Record<string, readonly string[]> = {
  team: [],
  redaction: [],
  journal: ['team', 'redaction'],
  stores: LOW,
  models: LOW,
  plan: ['team'],
  organisation: ['plan', 'tools', ...LOW],
  prompts: ['team'],
  permissions: ['prompts', 'journal', 'team'],
  tools: ['permissions', 'prompts', 'models', ...LOW],
  agent: ['tools', 'permissions', 'prompts', 'models', ...LOW],
  supervisor: ['agent', 'tools', 'permissions', 'prompts', 'models', ...LOW],
  'workspace.ts': ['stores', ...LOW],
  'mcp/client': ['tools', 'permissions', ...LOW],
  settings: ['mcp/client', 'tools', 'permissions', 'models', ...LOW],
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
    'plan',
    'organisation',
    'mcp/client',
    'acp/client',
    ...LOW,
  ],
  'mcp/server': ['prompts', ...LOW],
  view: ['session', 'permissions', 'team'],
  terminal: ['view', 'session', 'permissions', ...LOW],
  'acp/agent': ['view', 'session', 'permissions', ...LOW],
  'acp/client': ['agent', 'mcp/client', 'mcp/server', 'tools', 'permissions', 'prompts', 'models', ...LOW],
  testing: ALL_BUT_CLI,
  cli: ALL_BUT_CLI,
  'index.ts': ['session', 'workspace.ts', 'supervisor', 'agent', 'tools', 'permissions', 'stores', 'models', ...LOW],
}

/**
 * Which of its sibling sub-folders each sub-folder may import; one that is not listed imports none. Files directly in the
 * folder and files in its sub-folders may import each other, as long as no file imports itself in a circle.
 */
const mayImportSibling: Record<string, Record<string, readonly string[]>> = {
  agent: { calls: ['input', 'transcript'], compaction: ['transcript'], input: ['compaction', 'transcript'] },
  cli: {
    output: ['program'],
    workspace: ['output', 'program'],
    agents: ['mcp', 'output', 'program', 'workspace'],
    completion: ['output', 'program', 'run', 'workspace'],
    config: ['output', 'program', 'workspace'],
    demo: ['output', 'program'],
    doctor: ['output', 'program', 'workspace'],
    interactive: ['config', 'demo', 'mcp', 'output', 'program', 'run', 'sessions', 'workspace'],
    journal: ['output', 'program', 'workspace'],
    mail: ['output', 'program', 'workspace'],
    mcp: ['output', 'program', 'workspace'],
    replay: ['journal', 'output', 'program', 'workspace'],
    run: ['output', 'program', 'sessions', 'workspace'],
    sessions: ['output', 'program', 'workspace'],
    plan: ['output', 'program', 'run', 'workspace'],
    org: ['output', 'plan', 'program', 'run', 'workspace'],
    status: ['output', 'program', 'sessions', 'workspace'],
    task: ['output', 'program', 'workspace'],
    team: ['output', 'program', 'workspace'],
  },
  journal: {
    fold: ['log'],
    transcripts: ['log'],
    views: ['fold', 'log'],
  },
  models: { providers: ['rate-limits', 'transport'] },
  organisation: {
    departments: ['definition'],
    gates: ['views'],
    guards: ['artefacts'],
    phases: ['artefacts', 'gates', 'guards', 'steps', 'views'],
    reviews: ['artefacts', 'definition', 'routing'],
    roles: ['definition'],
    routing: ['definition', 'guards', 'views'],
    templates: ['definition'],
    views: ['steps'],
  },
  permissions: {
    hooks: ['paths', 'processes', 'sandbox'],
    processes: ['paths'],
    rules: ['paths', 'shell'],
    sandbox: ['paths', 'processes', 'rules', 'shell'],
    shell: ['paths'],
    trust: ['paths'],
  },
  session: { control: ['wire'], organisation: ['plan'], replay: ['control', 'wire'] },
  'stores/files': { views: ['inbox'] },
  'stores/postgres': { log: ['connection', 'schema'], schema: ['connection'] },
  supervisor: { scaling: ['teammate', 'shutdown'], teammate: ['shutdown', 'commits'], lead: ['commits', 'requests'] },
  team: {
    answers: ['board', 'members'],
    board: ['members'],
    fold: ['board', 'data', 'mail', 'members', 'phases', 'plans'],
    plans: ['board'],
    mail: ['data', 'members'],
    progress: ['board', 'members'],
    requests: ['board', 'mail'],
  },
  terminal: {
    conversation: ['drawing'],
    input: ['drawing'],
    plain: ['conversation', 'drawing', 'input', 'team-panel'],
    replay: ['conversation', 'drawing', 'team-panel', 'views'],
    slash: ['drawing', 'input', 'team-panel', 'views'],
    'status-line': ['conversation', 'drawing'],
    'team-panel': ['conversation', 'drawing'],
    views: ['conversation', 'drawing'],
  },
  tools: {
    files: ['paths', 'results'],
    jobs: ['results'],
    reservations: ['paths'],
    results: ['paths'],
    search: ['paths', 'results'],
    shell: ['jobs'],
    skills: ['paths', 'results'],
    subagents: ['paths', 'results', 'team'],
    team: ['results'],
  },
}

/** Files that declare what an implementation must do: types, constants and errors. */
const PORTS = [
  'journal/log/store.ts',
  'journal/views.ts',
  'models/model.ts',
  'tools/message-routing.ts',
  'tools/tool.ts',
  'tools/tool-source.ts',
  'permissions/permission.ts',
  'permissions/sandbox/sandbox.ts',
  'agent/agent-event.ts',
  'agent/session-event.ts',
  'agent/questions.ts',
]

describe('the arrows', () => {
  it('point inward: cli → session → supervisor → agent → tools → permissions → journal → team', () => {
    const wrong = inner.filter(({ file, what }) => {
      const [from, to] = [folderOf(file), folderOf(what)]
      return from !== to && !mayImport[from]?.includes(to)
    })
    expect(wrong.map(inWords)).toEqual([])
  })

  it('never form a circle between folders', () => {
    const between = inner.map(({ file, what }) => [folderOf(file), folderOf(what)] as const)
    expect(circlesIn(between.filter(([from, to]) => from !== to))).toEqual([])
  })

  it('between sub-folders of one folder follow the table', () => {
    const wrong = inner.filter(({ file, what }) => {
      const pair = siblingsOf(file, what)
      return pair && !mayImportSibling[pair.folder]?.[pair.from]?.includes(pair.to)
    })
    expect(wrong.map(inWords)).toEqual([])
  })

  it('in the table of sub-folders form no circle and name only folders that exist', () => {
    const rows = Object.entries(mayImportSibling).flatMap(([folder, row]) =>
      Object.entries(row).flatMap(([from, to]) => to.map((one) => [`${folder}/${from}`, `${folder}/${one}`] as const)),
    )
    expect(circlesIn(rows)).toEqual([])
    const unknown = rows.flat().filter((folder) => !files.some((file) => file.startsWith(`${folder}/`)))
    expect([...new Set(unknown)]).toEqual([])
  })

  it('never form a circle between files, neither of values nor of types', () => {
    const circles = circlesIn(inner.map(({ file, what }) => [file, what] as const))
    expect(circles.map((circle) => circle.join(', '))).toEqual([])
  })
})

describe('ports of the tree', () => {
  it.for(PORTS)('%s holds only types, constants and errors', (port) => {
    expect(codeIn(port)).toEqual([])
  })
})

describe('the team', () => {
  it('imports itself and zod, so that it is given facts and returns facts', () => {
    const packages = imports.filter(({ file, inside }) => folderOf(file) === 'team' && !inside)
    expect(packages.filter(({ what }) => what !== 'zod').map(inWords)).toEqual([])
  })

  it('uses no clock, no random number and no process', () => {
    const world = /\b(Date\.now|new Date|Math\.random|setTimeout|setInterval|process\.|performance\.|crypto\.|fetch\()/
    const wrong = shipped.filter((file) => folderOf(file) === 'team' && world.test(withoutComments(file)))
    expect(wrong).toEqual([])
  })
})

describe('the tree', () => {
  it('has no folder or file for odds and ends', () => {
    expect(files.filter((file) => /(^|\/)(utils?|helpers?|common|misc|shared|lib)(\/|\.ts$)/.test(file))).toEqual([])
  })

  it('has only folders that the table of arrows names', () => {
    const unknown = files.map(folderOf).filter((folder) => !(folder in mayImport))
    expect([...new Set(unknown)]).toEqual([])
  })

  it('has no file of more than 350 lines', () => {
    const lines = (file: string) => readFileSync(join(src, file), 'utf8').split('\n').length - 1
    const long = shipped.filter((file) => lines(file) > 350)
    expect(long.map((file) => `${file}: ${lines(file)}`)).toEqual([])
  })

  it('loads no test runner outside of testing/', () => {
    const runners = imports.filter(
      ({ what, file }) => /^(vitest|fast-check)$/.test(what) && folderOf(file) !== 'testing',
    )
    expect(runners.map(inWords)).toEqual([])
  })
})

/** The innermost folder that holds both files in different sub-folders, and those sub-folders. */
function siblingsOf(file: string, what: string): { folder: string; from: string; to: string } | undefined {
  const [a, b] = [file.split('/'), what.split('/')]
  let depth = 0
  while (depth < a.length && a[depth] === b[depth]) depth++
  const isSibling = depth > 0 && depth < a.length - 1 && depth < b.length - 1
  return isSibling ? { folder: a.slice(0, depth).join('/'), from: a[depth]!, to: b[depth]! } : undefined
}

/** The sets of names that reach each other (Tarjan's strongly connected components), each sorted. */
function circlesIn(arrows: readonly (readonly [string, string])[]): string[][] {
  const next = new Map<string, string[]>()
  for (const [from, to] of arrows) next.set(from, [...(next.get(from) ?? []), to])
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const circles: string[][] = []
  const visit = (name: string): void => {
    order.set(name, order.size)
    lowest.set(name, order.get(name)!)
    stack.push(name)
    for (const other of next.get(name) ?? []) {
      if (!order.has(other)) visit(other)
      if (stack.includes(other)) lowest.set(name, Math.min(lowest.get(name)!, lowest.get(other)!))
    }
    if (lowest.get(name) !== order.get(name)) return
    const circle = stack.splice(stack.indexOf(name))
    if (circle.length > 1) circles.push(circle.sort())
  }
  for (const name of next.keys()) if (!order.has(name)) visit(name)
  return circles
}

/** Functions, constants that hold functions, and classes that are not errors. */
function codeIn(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(src, file), 'utf8'), ts.ScriptTarget.Latest)
  const code: string[] = []
  const note = (name: ts.Node | undefined) => code.push(`${file}: ${name?.getText(source) ?? 'default'}`)
  const holdsFunction = (node: ts.Node): boolean =>
    ts.isFunctionLike(node) || ts.forEachChild(node, holdsFunction) === true
  for (const statement of source.statements) {
    if (ts.isFunctionDeclaration(statement)) note(statement.name)
    const extended = ts.isClassDeclaration(statement) ? statement.heritageClauses?.[0]?.types[0]?.getText(source) : ''
    if (ts.isClassDeclaration(statement) && !extended?.endsWith('Error')) note(statement.name)
    if (ts.isVariableStatement(statement))
      for (const { name, initializer } of statement.declarationList.declarations)
        if (initializer && holdsFunction(initializer)) note(name)
  }
  return code
}

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

/** The client and the server of MCP are on different sides of the session. */
function folderOf(path: string): string {
  return path
    .split('/')
    .slice(0, /^(mcp|acp)\//.test(path) ? 2 : 1)
    .join('/')
}

function inWords({ file, what }: Import): string {
  return `${file} imports ${what}`
}

function withoutComments(file: string): string {
  return readFileSync(join(src, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
}
