import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { type Desk, openDesk } from '../../src/cli/desk.ts'

const path = fileURLToPath(new URL('../../docs/commands.md', import.meta.url))
let desk: Desk
beforeEach(() => {
  // The page shows times as they are in one place.
  vi.stubEnv('TZ', 'UTC')
  desk = openDesk()
})
afterEach(() => {
  desk.close()
  vi.unstubAllEnvs()
})

describe('docs/commands.md', () => {
  it('shows what the commands really print, each with --json', async () => {
    const page = readFileSync(path, 'utf8')
    const fresh = await rerun(page)
    const shown = [...fresh.matchAll(/^\$ deskmates (.+)$/gm)].map(([, words]) => words!)
    const missing = commands
      // Their figures differ from run to run and from machine to machine; test/cli/doctor.test.ts reads its example.
      .filter(({ name }) => name !== 'tour' && name !== 'doctor')
      .map(({ group, name }) => (group ? `${group.name} ${name}` : name))
      .filter((name) => !shown.some((words) => words.startsWith(name) && words.includes('--json')))
    expect(missing).toEqual([])
    expect(fresh, 'a command of the page ran into a bug of ours').not.toContain('This is a bug')
    if (fresh === page) return
    writeFileSync(path, fresh)
    if (process.env.CI) expect.fail('docs/commands.md was stale: run npm test and commit it')
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
      const { stdout, stderr } = await desk.run(wordsOf(line.slice('$ deskmates '.length)))
      desk.clock.advance(1)
      lines.push(line, ...`${stdout}${stderr}`.split('\n').filter((text) => text !== ''))
    }
    parts[i] = ['```console', ...lines.map((line) => settled(line, names)), '```'].join('\n')
  }
  return parts.join('')
}

/** As a shell would split it; single quotes are all we need. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!)
}

/** What differs from run to run, the same in every run: ids in the order they appear, and the folder. */
function settled(line: string, names: Map<string, string>): string {
  return line
    .replaceAll(desk.dir, '/home/ada/shop')
    .replace(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, (id) => {
      const known = names.get(id) ?? `01KB${String(names.size + 1).padStart(22, '0')}`
      names.set(id, known)
      return known
    })
    .replace(/("hash":")[0-9a-f]{64}/g, `$1${'0'.repeat(64)}`)
}
