import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scriptedModel } from '../../models/scripted/scripted-model.ts'
import { folderHash } from '../../permissions/trust/folder-hash.ts'
import { toolHarness } from '../../testing/harnesses/tool-harness.ts'
import { skill as skillTool } from '../../tools/skills/skill.ts'
import { openWorkspace, type Workspace } from '../../workspace.ts'
import { openSession } from '../open-session.ts'
import { instructionsOf } from './instructions.ts'
import { type Knowledge, knowledgeOf } from './project-knowledge.ts'

let top: string
let root: string
let home: string
let workspace: Workspace
let warnings: string[]
beforeEach(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-knowledge-')))
  ;[root, home] = [join(top, 'work'), join(top, 'home')]
  mkdirSync(root)
  mkdirSync(home)
  warnings = []
  workspace = await openWorkspace({ cwd: root, env: { HOME: home, DESKMATES_STATE: join(top, 'state') } })
})
afterEach(async () => {
  await workspace[Symbol.asyncDispose]()
  rmSync(top, { recursive: true })
})

const warn = (message: string) => void warnings.push(message)
function put(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(top, path)), { recursive: true })
  writeFileSync(join(top, path), text)
}
const skill = (name: string, body = 'Do it.', more = '') =>
  `---\nname: ${name}\ndescription: "how to ${name}"\n${more}---\n${body}\n`
const knowledge = () => knowledgeOf({ workspace, root, cwd: root, env: { HOME: home }, warn })
const trust = () => workspace.trust.trustFolder(root, folderHash(root))
const toolOf = ({ skills }: Pick<Knowledge, 'skills'>) => skillTool.create({ role: 'lead', spelling: 'team', skills })
const load = async (input: object) => toolOf(knowledge())!.run(input, toolHarness())

describe('skills', () => {
  it('come from folders of the project, then of the home folder; names and descriptions are prompted', () => {
    put('work/skills/brew/SKILL.md', skill('brew', 'Boil water.', 'tags: [tea, water]\n'))
    put('work/.claude/skills/bake/SKILL.md', skill('bake'))
    put('work/.agents/skills/cook/SKILL.md', skill('cook'))
    put('home/.claude/skills/bake/SKILL.md', skill('bake', 'of home'))
    put('home/.agents/skills/sail/SKILL.md', skill('sail'))
    trust()
    const { skillList: prompt, ...others } = knowledge()
    expect(prompt).toContain(
      '- brew: how to brew [tea, water]\n- bake: how to bake\n- cook: how to cook\n- sail: how to sail',
    )
    expect(prompt).not.toContain('Boil water')
    expect(toolOf(others)?.name).toBe('Skill')
    expect(warnings).toEqual([])
  }) // A23, A25

  it('give body and files as the result of a call; an unknown one lists those that exist', async () => {
    put('work/skills/brew/SKILL.md', skill('brew', 'Boil water. See [temperatures](references/heat.md).'))
    put('work/skills/brew/references/heat.md', 'green: 80')
    put('work/skills/brew/scripts/kettle.sh', 'echo on')
    trust()
    const { text } = await load({ skill: 'brew' })
    expect(text).toMatch(/^<skill-loaded name="brew">\nBoil water\./)
    expect(text).toContain('- scripts/kettle.sh\n- references/heat.md\n</skill-loaded>')
    expect(text).toContain('Follow these instructions')
    expect((await load({ skill: 'brew', file: 'references/heat.md' })).text).toBe('green: 80')
    expect(await load({ skill: 'brew', file: '../../secret' })).toMatchObject({ isError: true })
    expect(await load({ skill: 'fly' })).toEqual({ text: "Error: Unknown skill 'fly'. Available: brew", isError: true })
  }) // A24

  it('that are broken, duplicate or name a missing file are reported with their path, and do not run', () => {
    put('work/skills/a/SKILL.md', 'no frontmatter')
    put('work/skills/b/SKILL.md', '---\nname: [unclosed\n---\nbody')
    put('work/skills/c/SKILL.md', '---js\nthrow new Error("ran")\n---\nbody')
    put('work/skills/d/SKILL.md', '---\nname: d\n---\nbody')
    put(
      'work/skills/e/SKILL.md',
      skill('e', 'Run scripts/gone.sh and read [it](references/gone.md).\n```\nscripts/example.sh\n```'),
    )
    put('work/.claude/skills/e/SKILL.md', skill('e'))
    symlinkSync('/etc/hostname', join(top, 'work/skills/link'))
    trust()
    const { skillList: prompt } = knowledge()
    expect(prompt).toContain('- e: how to e')
    for (const path of ['skills/a', 'skills/b', 'skills/c', 'skills/d', '.claude/skills/e'])
      expect(
        warnings.filter((text) => text.startsWith(`${path}/SKILL.md: `)),
        path,
      ).toHaveLength(1)
    expect(
      warnings.filter((text) => text.startsWith('skills/e/SKILL.md: it names ')).map((text) => text.split(' ')[3]),
    ).toEqual(['references/gone.md,', 'scripts/gone.sh,'])
  }) // A23

  it('of an untrusted project are not loaded, those of the home folder are; a long list is cut', () => {
    put('work/.agents/skills/cook/SKILL.md', skill('cook'))
    for (let i = 0; i < 60; i++)
      put(`home/skills/s${i}/SKILL.md`, skill(`s${i}`).replace('how to', 'word '.repeat(100)))
    const { skillList: prompt } = knowledge()
    expect(prompt).not.toContain('cook')
    expect(prompt).toContain('- s0: word')
    expect(prompt).toMatch(/- and \d+ more, which do not fit here$/)
    expect(prompt!.length).toBeLessThan(9000)
    expect(warnings).toEqual(['The skills of this project are not loaded until you trust the project: deskmates trust'])
    trust()
    expect(knowledge().skillList).toContain('cook')
    // A changed skill asks again.
    put('work/.agents/skills/cook/SKILL.md', skill('cook', 'Something else.'))
    expect(knowledge().skillList).not.toContain('cook')
  })
})

describe('instructions', () => {
  const read = (cwd = root) => instructionsOf({ cwd, root, home, warn })

  it('are AGENTS.md, else CLAUDE.md, nearest first, then the user’s own, nothing twice', () => {
    put('work/AGENTS.md', 'the whole project @docs/style.md')
    put('work/CLAUDE.md', 'never read')
    put('work/docs/style.md', 'tabs')
    put('work/src/CLAUDE.md', 'the sources @../docs/style.md')
    put('home/.claude/CLAUDE.md', 'always be kind, see @~/extra.md')
    put('home/extra.md', 'really')
    const text = read(join(root, 'src'))
    expect([...text.matchAll(/path="([^"]+)"/g)].map(([, path]) => path)).toEqual([
      'src/CLAUDE.md',
      'AGENTS.md',
      '~/.claude/CLAUDE.md',
    ])
    expect(text).not.toContain('never read')
    expect(text.split('tabs')).toHaveLength(2)
    expect(text).toContain('see really')
    expect(warnings).toEqual([])
  })

  it('import files five levels deep, not in code, not in a circle, not from outside the workspace', () => {
    put('outside.md', 'outside')
    put('home/.ssh/id_key', 'private')
    put(
      'work/AGENTS.md',
      'begin @a1.md `@code.md`\n```\n@fence.md\n```\nmail ada@a2.md, @missing.md, @../outside.md @~/.ssh/id_key',
    )
    for (let i = 1; i <= 7; i++) put(`work/a${i}.md`, `level ${i} @a${i + 1}.md @AGENTS.md`)
    const text = read()
    expect(text).toContain('level 5')
    expect(text).not.toContain('level 6')
    expect(text.split('begin')).toHaveLength(2)
    for (const kept of ['`@code.md`', '@fence.md', 'ada@a2.md', '@missing.md', '@../outside.md', '@~/.ssh/id_key'])
      expect(text).toContain(kept)
    expect(text).not.toContain('outside\n')
    expect(warnings).toContainEqual(expect.stringContaining('a5.md: @a6.md is more than 5 files deep'))
  })

  it('that are missing, binary or huge leave a readable prompt that says what was cut', () => {
    expect(read()).toBe('')
    put('work/AGENTS.md', Uint8Array.of(0, 1, 2, 3))
    expect(read()).toBe('')
    put('work/AGENTS.md', 'line\n'.repeat(100_000))
    const text = read()
    expect(text.length).toBeLessThan(70_000)
    expect(text).toContain('[cut off here: 500000 bytes in all')
    expect(warnings).toEqual([
      expect.stringContaining('AGENTS.md: it is not text'),
      expect.stringContaining('500000 bytes'),
    ])
  })

  it('are in the system prompt of the lead, not of a subagent', async () => {
    put('work/AGENTS.md', 'Use tabs here.')
    const systems: Record<string, string> = {}
    const parts = [
      {
        agent: 'lead',
        when: { answer: 1 },
        compose: (request: { agent: string; system: string }) => {
          systems.lead = request.system
          return { calls: [{ tool: 'Task', input: { prompt: 'look', agent_type: 'explore' } }] }
        },
      },
      {
        agent: 'lead/explore-1',
        compose: (request: { agent: string; system: string }) => {
          systems.explore = request.system
          return { text: 'seen' }
        },
      },
      { agent: 'lead', text: 'done' },
    ]
    await using session = await openSession({ workspace, model: scriptedModel({ parts }), env: { HOME: home } })
    for await (const _ of session.run('go'));
    expect(systems.lead).toContain('Use tabs here.')
    expect(systems.explore).not.toContain('Use tabs here.')
  })
})
