import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { project, readPage } from './page.ts'

let dir: string
beforeAll(async () => {
  const { prepare } = await import(/* @vite-ignore */ join(project, 'scripts', 'prepare.mjs'))
  await prepare(project, { modules: true, dist: 'types' }, { quiet: true })
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-types-')))
  mkdirSync(join(dir, 'node_modules', 'deskmates'), { recursive: true })
  for (const part of ['package.json', 'dist'])
    symlinkSync(join(project, part), join(dir, 'node_modules', 'deskmates', part))
  symlinkSync(join(project, 'node_modules', '@types'), join(dir, 'node_modules', '@types'))
}, 120_000)
afterAll(() => rmSync(dir, { recursive: true }))

/** What the compiler says about programs that use the package, with everything checked; by their names. */
function problemsIn(programs: Readonly<Record<string, string>>): string[] {
  const files = Object.entries(programs).map(([name, program]) => {
    writeFileSync(join(dir, name), program)
    return join(dir, name)
  })
  const compiled = ts.createProgram(files, {
    strict: true,
    skipLibCheck: false,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node'],
    noEmit: true,
    typeRoots: [join(dir, 'node_modules', '@types')],
  })
  return ts.getPreEmitDiagnostics(compiled).map(({ file, code, messageText }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, ' ').slice(0, 300)
    return `${basename(file?.fileName ?? '')}: TS${code} ${text}`
  })
}

const completes = (id: string) => `import { openTeam, openMemoryStore } from 'deskmates'
const team = await openTeam(await openMemoryStore(), 'web')
await team.run({ type: 'task.complete', id: ${id} })
export const subject: string | undefined = team.state.tasks.get('1')?.subject`

const tests = `import { openFileStore } from 'deskmates'
import { manualClock, storeContract, TestPackageMissing } from 'deskmates/testing'
storeContract('mine', async () => (options) => openFileStore({ dir: 'place', ...options }))
export const times: number[] = [manualClock(5).now()]
export const isMissing = (error: unknown) => error instanceof TestPackageMissing && error.code === 'test_package_missing'`

describe('the published types', () => {
  it('compile strictly without skipLibCheck, with the README program, and reject a wrong call', () => {
    const [program = ''] = readPage('README.md').blocks('js')
    expect(program).toContain("from 'deskmates'")
    const teams = { 'right.mts': completes("'1'"), 'wrong.mts': completes('1') }
    const programs = { 'readme.mts': program, 'tests.mts': tests, ...teams }
    expect(problemsIn(programs)).toEqual([expect.stringMatching(/^wrong\.mts: TS2322 /)])
  }, 120_000) // T35, T42
})
