import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MUTATION, type Mutation } from './mutation.ts'

/** `failed`: the named test turned red, as it must. Everything else is a hole, with what the run printed. */
export interface MutationResult {
  readonly status: 'failed' | 'passed' | 'test not found' | 'source not loaded'
  readonly output: string
}

/** Runs the named test in a process of its own, with the mistake in the source. */
export async function runMutation(root: string, mutation: Mutation): Promise<MutationResult> {
  const folder = mkdtempSync(join(tmpdir(), 'deskmates-mutation-'))
  try {
    const [report, appliedTo] = [join(folder, 'report.json'), join(folder, 'applied')]
    const { file, old, new: replacement, test, fails } = mutation
    const args = ['run', test, '-t', escaped(fails), '--maxWorkers=1', '--reporter=json', `--outputFile=${report}`]
    const env = { ...process.env, [MUTATION]: JSON.stringify({ file, old, new: replacement, appliedTo }) }
    const output = await vitest(root, args, env)
    if (!existsSync(appliedTo)) return { status: 'source not loaded', output }
    const tests = existsSync(report) ? namedIn(readFileSync(report, 'utf8'), fails) : []
    if (tests.length === 0) return { status: 'test not found', output }
    return { status: tests.includes('failed') ? 'failed' : 'passed', output }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function vitest(root: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const child = spawn(process.execPath, [program, ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  await once(child, 'close')
  return output
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[]
  }[]
}

function namedIn(report: string, fails: string): string[] {
  const { testResults }: Report = JSON.parse(report)
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  return tests
    .filter(({ title, status }) => title.startsWith(fails) && status !== 'skipped')
    .map(({ status }) => status)
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
