import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildCli, cli } from '../demo/demo-process.ts'
import { backend, makeProject, type Project } from './pseudo-terminal.ts'

const dist = join(cli, '..')
const opened: Project[] = []
beforeAll(buildCli)
afterEach(() => {
  for (const project of opened.splice(0)) project[Symbol.dispose]()
})

/** Each costs more than the first frame may take, and is loaded behind it. */
const HEAVY =
  /node_modules\/(zod|commander|marked|diff|ignore|yaml|undici|@clack|@ai-sdk)\/|src\/(session|settings|supervisor|agent|tools)\//
const MAX_FILES = 8
const MAX_CHARACTERS = 320_000

/** The files that these import statically, themselves included, with their text. */
function loadedWith(names: readonly string[]): Map<string, string> {
  const loaded = new Map<string, string>()
  const load = (name: string) => {
    if (loaded.has(name)) return
    const text = readFileSync(join(dist, name), 'utf8')
    loaded.set(name, text)
    for (const [, imported = ''] of text.matchAll(/^(?:import|export)[^'"\n]*["']\.\/([^'"\n]+)["'];?$/gm))
      load(imported)
  }
  for (const name of names) load(name)
  return loaded
}

function modulesOf(loaded: Map<string, string>): string[] {
  return [...loaded.values()].flatMap((text) => [...text.matchAll(/^\/\/#region (.*)$/gm)].map(([, path = '']) => path))
}

/** The file with this module in it. */
function fileWith(module: string): string {
  const found = readdirSync(dist).find(
    (name) => name.endsWith('.js') && readFileSync(join(dist, name), 'utf8').includes(`//#region ${module}\n`),
  )
  return basename(found!)
}

function project(): Project {
  const script = { parts: [{ times: 'always', text: 'The lead answers.' }] }
  const made = makeProject({ 'script.json': JSON.stringify(script) })
  opened.push(made)
  return made
}

const MODEL = '-m scripted:script.json --sandbox off'

describe('the first paint of deskmates', { timeout: 170_000 }, () => {
  it('loads few files, and nothing that the first frame does not need', () => {
    const loaded = loadedWith([
      'cli.js',
      fileWith('src/cli/run-process.ts'),
      fileWith('src/terminal/painted-prompt.ts'),
    ])
    const modules = modulesOf(loaded)
    expect(modules).toEqual(expect.arrayContaining(['src/cli/run-process.ts', 'src/terminal/painted-prompt.ts']))
    expect(modules.filter((module) => HEAVY.test(module))).toEqual([])
    expect(loaded.size).toBeLessThanOrEqual(MAX_FILES)
    expect([...loaded.values()].join('').length).toBeLessThanOrEqual(MAX_CHARACTERS)
  })

  it('adds nothing that draws to the library', () => {
    const drawing = modulesOf(loadedWith(['index.js'])).filter((module) => /pi-tui|src\/terminal\//.test(module))
    expect(drawing).toEqual([])
  })

  it('takes keys that are typed before the session is there', async ({ skip }) => {
    if (backend === undefined) skip('neither tmux nor script is installed')
    const terminal = project().open(MODEL)
    await terminal.sees('default mode')
    terminal.type('Hello lead')
    terminal.press('Enter')
    terminal.type('and more')
    await terminal.sees('Hello lead', 'The lead answers.', 'and more')
    terminal.press('C-c')
    await terminal.seesNo('and more')
    terminal.press('C-d')
    await terminal.sees('Continue with: deskmates -r', 'exit 0')
  })

  it('comes with -c and --team too, and the conversation appears above what is typed', async ({ skip }) => {
    if (backend === undefined) skip('neither tmux nor script is installed')
    const { open } = project()
    const first = open(`${MODEL} 'Hello lead'`)
    await first.sees('The lead answers.')
    first.press('C-d')
    const [, id = ''] = /deskmates -r (\S+)/.exec(await first.sees('exit 0')) ?? []
    for (const args of [`-c ${MODEL}`, `--team ${id} ${MODEL}`]) {
      const again = open(args)
      await again.sees('default mode')
      again.type('and more')
      await again.sees('> Hello lead', 'The lead answers.', 'and more')
      again.press('C-c')
      await again.seesNo('and more')
      again.press('Up')
      await again.sees(/^Hello lead$/m)
      again.press('C-c')
      again.press('C-d')
      await again.sees('exit 0')
    }
  })

  it('is taken back where -c finds no session: the error stands alone', async ({ skip }) => {
    if (backend === undefined) skip('neither tmux nor script is installed')
    const screen = await project()
      .open(`-c ${MODEL}`)
      .sees(/exit \d/)
    expect(screen).toContain('There is no session in this folder yet.')
    expect(screen).not.toContain('default mode')
  })

  it('is taken back where the settings are wrong: the error stands alone', async ({ skip }) => {
    if (backend === undefined) skip('neither tmux nor script is installed')
    const { home, open } = project()
    mkdirSync(join(home, '.config', 'deskmates'), { recursive: true })
    writeFileSync(join(home, '.config', 'deskmates', 'settings.json'), '{ "model": 7 }')
    const screen = await open(MODEL).sees(/exit \d/)
    expect(screen).toMatch(/settings\.json/)
    expect(screen).not.toContain('default mode')
    expect(screen.trim().split('\n').at(-1)).toBe('exit 1')
  })

  it('does not come before the question whether the folder is trusted', async ({ skip }) => {
    if (backend === undefined) skip('neither tmux nor script is installed')
    const { dir, open } = project()
    writeFileSync(join(dir, 'AGENTS.md'), 'Be brief.')
    const terminal = open(MODEL)
    const screen = await terminal.sees('Do you trust this folder?')
    expect(screen).not.toContain('default mode')
  })
})
