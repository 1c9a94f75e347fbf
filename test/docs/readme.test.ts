import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { commandHarness } from '../cli/command-harness.ts'
import { buildCli, cli, makeHome } from '../demo/demo-process.ts'
import { project, readPage } from './page.ts'

const page = readPage('README.md')

describe('the README', () => {
  beforeAll(buildCli)

  it('shows lines that the demo prints', async () => {
    using home = makeHome()
    const { stdout } = await home.run(process.execPath, [cli, 'demo', '--speed', '50'])
    const said = stdout.split('\n')
    const [shown = ''] = page.blocks('text')
    const lines = shown
      .trimEnd()
      .split('\n')
      .filter((line) => line !== '[…]')
    expect(lines.length).toBeGreaterThan(20)
    expect(lines.filter((line) => !said.includes(line))).toEqual([])
  })

  it('shows a session as it runs', async () => {
    const [session = ''] = page.blocks('console')
    const harness = commandHarness()
    try {
      let shown = ''
      for (const [, line = ''] of session.matchAll(/^\$ deskmates (.*)$/gm)) {
        const { stdout, stderr } = await harness.run(wordsOf(line))
        shown += `$ deskmates ${line}\n${stdout}${stderr}`
      }
      expect(shown.replaceAll(harness.dir, '/home/ada/shop')).toBe(session)
    } finally {
      harness.close()
    }
  })

  it('shows a program that runs and prints the output shown', () => {
    const [program = ''] = page.blocks('js')
    const dir = mkdtempSync(join(tmpdir(), 'deskmates-readme-'))
    try {
      const library = pathToFileURL(join(project, 'dist', 'index.js')).href
      writeFileSync(join(dir, 'program.mjs'), program.replace("'deskmates'", `'${library}'`))
      const printed = execFileSync(process.execPath, ['program.mjs'], { cwd: dir, encoding: 'utf8' })
      expect(printed.trim()).toBe(/\/\/ (.*)$/m.exec(program)?.[1])
      expect(readFileSync(join(dir, '.teams/shop/journal.jsonl'), 'utf8')).toContain('testing now')
    } finally {
      rmSync(dir, { recursive: true })
    }
  })
})

/** A command line as a shell would split it: at spaces outside of single quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
}
