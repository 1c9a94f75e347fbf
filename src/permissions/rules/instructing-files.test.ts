import { describe, expect, it } from 'vitest'
import { instructsAgents } from './instructing-files.ts'
import { parseRule } from './parse-rule.ts'
import { decideByRules, type Policy } from './policy.ts'

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
const decision = (path: string, by: Policy) =>
  decideByRules('write_file', { kind: 'write', tool: 'write_file', path }, by).decision

describe('a file that instructs agents or tools', () => {
  it('is recognised by its name in any folder and any spelling', () => {
    expect(FILES.filter((path) => !instructsAgents(path))).toEqual([])
    expect(OTHERS.filter(instructsAgents)).toEqual([])
  })

  it('needs permission before it is written, also in the mode acceptEdits', () => {
    for (const path of FILES) {
      expect(decision(path, policy('acceptEdits')), path).toBe('ask')
      expect(decision(path, policy('acceptEdits', ['write_file'])), path).toBe('ask')
      expect(decision(path, policy('dontAsk', ['write_file'])), path).toBe('deny')
    }
    expect(decision('AGENTS.md', policy('acceptEdits', ['write_file(AGENTS.md)']))).toBe('allow')
    expect(decision('AGENTS.md', policy('bypassPermissions'))).toBe('allow')
    expect(decision('src/a.ts', policy('acceptEdits'))).toBe('allow')
  }) // T17
})
