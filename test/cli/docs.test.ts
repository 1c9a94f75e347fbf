import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { commands } from '../../src/cli/program/commands.ts'
import { buildCli, cli } from '../demo/demo-process.ts'
import { keepChance } from './chance.ts'
import { type CommandHarness, commandHarness } from './command-harness.ts'
import { header, task, writeLines } from './plan-files.ts'

const path = fileURLToPath(new URL('../../docs/commands.md', import.meta.url))
/** What the page's examples of runs are answered by. */
const HELLO = {
  parts: [
    { calls: [{ tool: 'bash', input: { command: 'ls' } }], usage: { input: 900, output: 20 } },
    { when: { result: { tool: 'bash' } }, text: 'I may not look around here.', usage: { input: 950, output: 8 } },
  ],
}
let harness: CommandHarness
beforeAll(buildCli)
beforeEach(() => {
  // The page shows times as they are in one place.
  vi.stubEnv('TZ', 'UTC')
  harness = commandHarness()
  writeFileSync(join(harness.dir, 'hello.json'), JSON.stringify(HELLO))
  copyFileSync(fileURLToPath(new URL('./plan-developer.mjs', import.meta.url)), join(harness.dir, 'developer.mjs'))
  const folder = 'phases/03-api'
  writeLines(
    harness.dir,
    `${folder}/03-01.plan.jsonl`,
    header('01', { t: 'Users API' }),
    task('T1'),
    task('T2', { td: ['T1'] }),
  )
  writeLines(
    harness.dir,
    `${folder}/03-02.plan.jsonl`,
    header('02', { t: 'Users page', w: 2, d: ['03-01'] }),
    task('T1'),
  )
})
afterEach(() => {
  harness.close()
  vi.unstubAllEnvs()
})

// Only against hanging: the demo takes its time on a busy machine.
describe('docs/commands.md', { timeout: 180_000 }, () => {
  it('shows what the commands really print, each with --json', async () => {
    const page = readFileSync(path, 'utf8')
    const fresh = await rerun(page)
    const shown = [...fresh.matchAll(/^\$ deskmates (.+)$/gm)].map(([, words]) => words!)
    const missing = commands
      // What it finds differs from machine to machine; test/cli/doctor.test.ts reads its example.
      .map(({ path }) => path)
      .filter((name) => name !== 'doctor')
      .filter((name) => !shown.some((words) => words.startsWith(name) && words.includes('--json')))
    expect(missing).toEqual([])
    expect(fresh, 'a command of the page ran into a bug of ours').not.toContain('This is a bug')
    if (fresh === page) return
    writeFileSync(path, fresh)
    if (process.env.CI) expect(fresh, 'docs/commands.md was stale: run npm test and commit it').toBe(page)
    console.info('docs/commands.md was rewritten, commit it')
  })
})

/** Runs every command of the `console` blocks, in order and in one folder, and puts its output in the place of the old. */
async function rerun(page: string): Promise<string> {
  const parts = page.split(/(^```console\n[\s\S]*?^```$)/m)
  const names = new Map<string, string>()
  for (const [i, part] of parts.entries()) {
    if (!part.startsWith('```console')) continue
    const lines: string[] = []
    for (const line of part.split('\n').filter((line) => line.startsWith('$ '))) {
      const words = wordsOf(line.slice('$ deskmates '.length))
      const { stdout, stderr } = words[0] === 'demo' ? await runDemo(words) : await harness.run(words)
      harness.clock.advance(1)
      const output = `${stdout}${stderr}`.split('\n').filter((text) => text !== '')
      const fresh = output.map((text) => settled(text, names))
      lines.push(line, ...(words[0] === 'demo' ? fresh.map((text) => keepChance(text, lineBehind(part, line))) : fresh))
    }
    parts[i] = ['```console', ...lines, '```'].join('\n')
  }
  return parts.join('')
}

/** In a process of its own, since a team at work needs the real time; what is set outside has no say in the page. */
async function runDemo(words: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, TMPDIR: tmpdir(), ...harness.env }
  return promisify(execFile)(process.execPath, [cli, ...words], { cwd: harness.dir, env })
}

function lineBehind(part: string, line: string): string | undefined {
  const all = part.split('\n')
  return all[all.indexOf(line) + 1]
}

/** As a shell would split it; single quotes are all we need. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!)
}

/** What differs from run to run, the same in every run: ids in the order they appear, and the folder. */
function settled(line: string, names: Map<string, string>): string {
  return (
    line
      .replaceAll(harness.dir, '/home/ada/shop')
      .replaceAll(harness.env.DESKMATES_STATE ?? '', '/home/ada/.local/state/deskmates')
      .replace(/(\/tokens\/[\w-]+)-[0-9a-f]{16}(\/[\w-]+)\.[0-9a-f]{16}/g, '$1-0123456789abcdef$2.fedcba9876543210')
      .replace(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, (id) => {
        const known = names.get(id) ?? `01KB${String(names.size + 1).padStart(22, '0')}`
        names.set(id, known)
        return known
      })
      .replace(/\b(s-\d{8}-\d{6})-[a-z2-7]{4}\b/g, '$1-k3fq')
      // The time of a file, which is the machine's.
      .replace(/("usedAt":)[\d.]+/g, '$11800000043')
      .replace(/("hash":")[0-9a-f]{64}/g, `$1${'0'.repeat(64)}`)
  )
}
