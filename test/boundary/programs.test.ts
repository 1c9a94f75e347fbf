import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const src = fileURLToPath(new URL('../../src/', import.meta.url))

/** Who may start programs, and why that is safe. */
const ALLOWED = new Map([
  ['permissions/processes/start-program.ts', 'absolute paths only, no inherited environment or descriptor'],
  ['stores/identity.ts', 'ioreg, sysctl and ps of macOS by fixed paths, without input'],
  ['stores/files/file-system-kind.ts', 'mount of macOS by a fixed path, without input'],
  ['terminal/input/own-command.ts', 'what the person types after ! at the own terminal, in the own shell'],
])

const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('testing/'))
  .map((file) => ({ file, text: readFileSync(join(src, file), 'utf8') }))

it('starts programs in a few known modules only', () => {
  const starts =
    /^import (?!type\b)[^;\n]*from '(?:node:)?child_process'|(?:import|require)\(\s*['"`](?:node:)?child_process/m
  const found = sources.filter(({ text }) => starts.test(text)).map(({ file }) => file)
  expect(found.sort()).toEqual([...ALLOWED.keys()].sort())
}) // T4

it('starts programs of the system by absolute paths where the PATH is not searched', () => {
  for (const file of ['stores/identity.ts', 'stores/files/file-system-kind.ts']) {
    const { text = '' } = sources.find((source) => source.file === file) ?? {}
    const programs = [...text.matchAll(/\b(?:run|execFileSync)\('([^']+)'/g)].map(([, program = '']) => program)
    expect(programs.length).toBeGreaterThan(0)
    expect(programs.filter((program) => !program.startsWith('/'))).toEqual([])
  }
}) // T4
