import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { folderHash } from '../permissions/trust/folder-hash.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'
import { agentTypesOf } from './agent-types.ts'

let top: string
let root: string
let workspace: Workspace
let warnings: string[]
beforeEach(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-agent-types-')))
  root = join(top, 'work')
  mkdirSync(root)
  mkdirSync(join(top, 'home'))
  warnings = []
  workspace = await openWorkspace({ cwd: root, env: { HOME: join(top, 'home'), DESKMATES_STATE: join(top, 'state') } })
})
afterEach(async () => {
  await workspace[Symbol.asyncDispose]()
  rmSync(top, { recursive: true })
})

function put(path: string, front: string): void {
  mkdirSync(dirname(join(top, path)), { recursive: true })
  writeFileSync(join(top, path), `---\n${front}\n---\nYou work.\n`)
}
const trust = () => workspace.trust.trustFolder(root, folderHash(root))
function types(changes: Partial<Parameters<typeof agentTypesOf>[0]> = {}) {
  const env = { HOME: join(top, 'home') }
  const warn = (message: string) => void warnings.push(message)
  return agentTypesOf({ workspace, root, folders: [], env, warn, ...changes }).slice(3)
}

describe('agent types', () => {
  it('of the user are loaded at once, those of a project when it is trusted', () => {
    put('home/.claude/agents/reviewer.md', 'name: reviewer\ndescription: reviews')
    put('home/.config/deskmates/agents/poet.md', 'name: poet\ndescription: writes poems')
    put('work/.claude/agents/tester.md', 'name: tester\ndescription: tests')
    expect(types().map(({ name }) => name)).toEqual(['reviewer', 'poet'])
    expect(warnings).toEqual([
      'The agent types of this project are not loaded until you trust the project: deskmates trust',
    ])
    trust()
    expect(types().map(({ name }) => name)).toEqual(['tester', 'reviewer', 'poet'])
  }) // T38

  it('of a trusted project replace those of the user with the same name, and this is reported', () => {
    put('home/.claude/agents/tester.md', 'name: Tester\ndescription: of home')
    put('work/agents/tester.md', 'name: tester\ndescription: of the project')
    expect(types().map(({ description }) => description)).toEqual(['of home'])
    trust()
    warnings = []
    expect(types().map(({ description }) => description)).toEqual(['of the project'])
    expect(warnings).toEqual([
      '~/.claude/agents/tester.md: there is an agent type tester already. Give this one another name.',
    ])
  }) // T38

  it('of the user are ignored where agents could have written them', () => {
    put('work/.claude/agents/evil.md', 'name: evil\ndescription: from the project')
    expect(types({ env: { HOME: root } })).toEqual([])
    symlinkSync(join(root, '.claude'), join(top, 'home', '.claude'))
    expect(types()).toEqual([])
    put('shared/deskmates/agents/other.md', 'name: other\ndescription: from a folder that was added')
    const env = { HOME: join(top, 'home'), XDG_CONFIG_HOME: join(top, 'shared') }
    expect(types({ env, folders: [join(top, 'shared')] })).toEqual([])
    expect(types({ env }).map(({ name }) => name)).toEqual(['other'])
  }) // T38

  it('may narrow tools, permissions and turns', () => {
    put('home/.claude/agents/a.md', 'name: a\ndescription: d\ndisallowedTools: Bash, Write')
    put('home/.claude/agents/b.md', 'name: b\ndescription: d\ntools: [Read, Edit, Bash]\npermissionMode: plan')
    put('home/.claude/agents/c.md', 'name: c\ndescription: d\ntools: "*"\nmaxTurns: 5\nmodel: inherit')
    put('home/.claude/agents/d.md', 'name: d\ndescription: d\nmaxTurns: "7"\nmodel: sonnet\npermissionMode: default')
    const [a, b, c, d] = types()
    expect(a).toMatchObject({ tools: ['read_file', 'edit_file', 'glob', 'grep', 'mcp__*'], isReadOnly: false })
    expect(b).toMatchObject({ tools: ['bash', 'read_file'], isReadOnly: true })
    expect(c).toMatchObject({ maxTurns: 5, model: undefined })
    expect(c?.tools).toContain('write_file')
    expect(d).toMatchObject({ maxTurns: 7, model: 'sonnet' })
    expect(warnings).toEqual([])
  }) // T38

  it('never allow more than their session, and report every key that has no effect', () => {
    for (const mode of ['acceptEdits', 'bypassPermissions', 'dontAsk'])
      put(`home/.claude/agents/${mode}.md`, `name: ${mode}\ndescription: d\npermissionMode: ${mode}`)
    put('home/.claude/agents/x.md', 'name: x\ndescription: d\ncolor: red')
    put('home/.claude/agents/y.md', 'name: y\ndescription: d\nhooks: {}\nmemory: user\nmaxTurns: many')
    expect(types()).toHaveLength(5)
    expect(warnings).toEqual([
      ...['acceptEdits', 'bypassPermissions', 'dontAsk'].map(
        (mode) =>
          `~/.claude/agents/${mode}.md: permissionMode ${mode} has no effect: an agent has the rights of its session (--permission-mode).`,
      ),
      '~/.claude/agents/x.md: color has no effect here.',
      '~/.claude/agents/y.md: maxTurns is not a number of turns; it has no effect.',
      '~/.claude/agents/y.md: hooks, memory have no effect here.',
    ])
  }) // T38
})
