import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Bug, bugs } from './bugs.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = mkdtempSync(join(tmpdir(), 'deskmates-bites-'))

// A run that was started from here must not start more.
describe.skipIf(process.env.DESKMATES_BITE === '1')('the suite bites', () => {
  const runs = new Map<string, Promise<Run>>()

  beforeAll(() => {
    for (const [i, bug] of bugs.entries()) {
      // Two at once, on two cores.
      const before = i < 2 ? undefined : runs.get(bugs[i - 2]!.name)
      runs.set(
        bug.name,
        Promise.resolve(before).then(() => runWith(bug)),
      )
    }
    return () => rmSync(folder, { recursive: true, force: true })
  })

  it.for(bugs)('$name turns it red', { timeout: 300_000 }, async (bug) => {
    const { code, failed, output } = await runs.get(bug.name)!
    expect(code, output).not.toBe(0)
    expect(failed.filter((title) => title.startsWith(bug.noticedBy))).toHaveLength(1)
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
  readonly failed: readonly string[]
  readonly output: string
}

/** The tests that should notice, in a build that has the bug. */
async function runWith({ name, file, noticedBy }: Bug): Promise<Run> {
  const report = join(folder, `${name}.json`)
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const args = [program, 'run', file, '-t', noticedBy, '--reporter=json', `--outputFile=${report}`]
  const env = { ...process.env, DESKMATES_BUG: name, DESKMATES_BITE: '1' }
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const [code] = await once(child, 'close')
  const results = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).testResults : []
  const tests: { status: string; title: string }[] = results.flatMap(
    (file: { assertionResults: object[] }) => file.assertionResults,
  )
  return { code, output, failed: tests.filter(({ status }) => status === 'failed').map(({ title }) => title) }
}

function sources(name: string): string[] {
  return readdirSync(join(root, name), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.[jt]s$/.test(path) && !path.endsWith('.test.ts'))
    .map((path) => join(root, name, path))
}
