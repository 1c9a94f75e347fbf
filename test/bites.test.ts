import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { bugs, PROMISES } from './bugs.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

// A run that was started from here must not start more.
describe.skipIf(process.env.DESKMATES_BITE === '1')('the suite bites', () => {
  let run: Run
  beforeAll(async () => {
    run = await runWithBugs()
    const red = bugs.filter(({ name }) => run.tests.some((test) => test.bug === name && test.isRed))
    console.log(`bites: ${bugs.length} bugs, ${red.length} turn the suite red, ${run.tests.length} tests tried`)
  }, 300_000)

  it.for(bugs)('$name turns it red', ({ name, noticedBy }) => {
    const noticing = run.tests.filter(({ bug, title }) => bug === name && title.startsWith(noticedBy))
    expect(noticing, run.output).toMatchObject([{ isRed: true }])
    expect(run.code).not.toBe(0)
  })

  it('has a switch in the sources for each bug, and none that nobody tries', () => {
    const switches = sources('src').flatMap((path) => [
      ...readFileSync(path, 'utf8').matchAll(/__BUG__ === '([^']+)'/g),
    ])
    expect([...new Set(switches.map(([, name]) => name))].sort()).toEqual(bugs.map((bug) => bug.name).sort())
  })

  it('leaves no bug in what is published', async () => {
    const { prepare } = await import(/* @vite-ignore */ join(root, 'scripts', 'prepare.mjs'))
    await prepare(root, { dist: 'js' }, { quiet: true })
    const built = sources('dist').map((path) => readFileSync(path, 'utf8'))
    const traces = [
      '__BUG__',
      'DESKMATES_BUG',
      ...bugs.map((bug) => `'${bug.name}'`),
      ...bugs.map(({ name }) => `"${name}"`),
    ]
    expect(traces.filter((trace) => built.some((text) => text.includes(trace)))).toEqual([])
    expect(built.length).toBeGreaterThan(0)
  })
})

interface Run {
  readonly code: number | null
  readonly tests: readonly { readonly bug: string; readonly title: string; readonly isRed: boolean }[]
  readonly output: string
}

/** All promises under each bug, in one run of its own. */
async function runWithBugs(): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'deskmates-bites-'))
  const report = join(folder, 'report.json')
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const files = new Set(bugs.map(({ file = PROMISES }) => file))
  const args = [program, 'run', ...files, '--reporter=json', `--outputFile=${report}`]
  const env = { ...process.env, DESKMATES_BITE: '1' }
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  const [code] = await once(child, 'close')
  const results: { assertionResults: Reported[] }[] = existsSync(report)
    ? JSON.parse(readFileSync(report, 'utf8')).testResults
    : []
  rmSync(folder, { recursive: true, force: true })
  const tests = results
    .flatMap((file) => file.assertionResults)
    .map(({ ancestorTitles, title, status }) => ({ bug: ancestorTitles[0] ?? '', title, isRed: status === 'failed' }))
  return { code, output, tests }
}

interface Reported {
  readonly ancestorTitles: readonly string[]
  readonly title: string
  readonly status: string
}

function sources(name: string): string[] {
  return readdirSync(join(root, name), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.[jt]s$/.test(path) && !path.endsWith('.test.ts'))
    .map((path) => join(root, name, path))
}
