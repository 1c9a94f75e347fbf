import { describe, expect, it } from 'vitest'
import { instructsAgents } from './instructing-files.ts'
import { decideByRules, type Policy } from './policy.ts'
import { parseRule } from './rule.ts'

const FILES =
  `AGENTS.md sub/CLAUDE.md ./agents.MD CLAUDE.local.md GEMINI.md .mcp.json .envrc .vscode/tasks.json .vscode/settings.json
  .idea/runConfigurations/x.xml .github/copilot-instructions.md .github/instructions/a.md .cursorrules .cursor/rules/a.mdc
  .windsurfrules hooks/pre-commit a/../AGENTS.md /repo/AGENTS.md .pre-commit-config.yaml`.split(/\s+/)
const OTHERS = 'README.md src/agents.ts docs/claude.md.txt .github/workflows/ci.yml src/hooks/use-x.ts vscode/x'.split(
  ' ',
)

const policy = (mode: Policy['mode'], allow: string[] = []): Policy => ({
  ...{ mode, root: '/repo', deny: [], ask: [] },
  allow: allow.map((rule) => parseRule(rule)),
})
const verdict = (path: string, by: Policy) =>
  decideByRules('write_file', { kind: 'write', tool: 'write_file', path }, by).verdict

describe('a file that instructs agents or tools', () => {
  it('is known by its name, wherever it lies and however it is spelled', () => {
    expect(FILES.filter((path) => !instructsAgents(path))).toEqual([])
    expect(OTHERS.filter(instructsAgents)).toEqual([])
  })

  it('is asked about before it is written, also where edits are accepted', () => {
    for (const path of FILES) {
      expect(verdict(path, policy('acceptEdits')), path).toBe('ask')
      expect(verdict(path, policy('acceptEdits', ['write_file'])), path).toBe('ask')
      expect(verdict(path, policy('dontAsk', ['write_file'])), path).toBe('deny')
    }
    expect(verdict('AGENTS.md', policy('acceptEdits', ['write_file(AGENTS.md)']))).toBe('allow')
    expect(verdict('AGENTS.md', policy('bypassPermissions'))).toBe('allow')
    expect(verdict('src/a.ts', policy('acceptEdits'))).toBe('allow')
  }) // T17
})
