import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { artefactProblem } from './check-artefact.ts'
import { matchesArtefact } from './match.ts'
import { artefactProblemIn } from './phase-folder.ts'
import { ARTEFACTS } from './schemas.ts'
import { artefactsFor } from './scope.ts'

const lines = (...values: object[]) => values.map((value) => JSON.stringify(value)).join('\n')
const finding = { f: 'src/a.ts', ln: 3, sev: 'major', issue: 'unchecked input' }

const VALID: Record<string, string> = {
  critique: lines({ id: 'C1', cat: 'gap', sev: 'major', q: 'What about errors?' }),
  research: lines({ q: 'Which parser?', src: 'docs', finding: 'None needed' }),
  reqs: lines({ id: 'R1', t: 'Users log in' }),
  'test-plan': lines({ id: 'T1', tf: ['test/a.ts'], tc: 3, red: true }),
  verification: lines({ tier: 'standard', r: 'PASS', ps: 1, fl: 0, tt: 1 }, { c: 'builds', r: 'pass', ev: 'exit 0' }),
  'qa-code': lines({ r: 'PASS', tests: { ps: 3, fl: 0 } }, finding),
  'code-review': lines({ plan: '03-01', r: 'approve', cycle: 1 }, finding),
  'security-audit': lines({ r: 'WARN', findings: 1, critical: 0 }, { cat: 'input', sev: 'minor', issue: 'no limit' }),
  gaps: lines({ id: 'G1', sev: 'minor', desc: 'no help text', st: 'open' }),
  decisions: lines({ ts: '2026-01-01', agent: 'dev', task: '03-01/T1', dec: 'zod', reason: 'in use', alts: [] }),
  'manual-qa': lines({ id: 'M1', r: 'pass' }),
  'design-tokens': lines({ cat: 'color', name: 'primary', val: '#00f' }),
  'component-specs': lines({ name: 'Button', desc: 'Starts an action', states: ['default'], status: 'ready' }),
  'user-flows': lines({ id: 'F1', name: 'login', steps: ['open', 'submit'] }),
}

describe('the check of an artefact', () => {
  it.each(Object.keys(ARTEFACTS))('accepts %s.jsonl as its role writes it, and refuses other lines', (name) => {
    expect(artefactProblem(`${name}.jsonl`, VALID[name]!)).toBeUndefined()
    expect(artefactProblem(`${name}.jsonl`, `${VALID[name]}\n`)).toBeUndefined()
    expect(artefactProblem(`${name}.jsonl`, '{"other":1}')).toMatch(/^line 1: "/)
    expect(artefactProblem(`${name}.jsonl`, '{')).toBe('line 1: is not JSON')
  }) // C40

  it('refuses drafts, empty tokens and empty files', () => {
    const draft = lines({ name: 'Button', desc: 'd', states: ['default'], status: 'draft' })
    expect(artefactProblem('component-specs.jsonl', draft)).toContain('"status"')
    expect(artefactProblem('design-tokens.jsonl', '\n')).toBe('is empty')
    expect(artefactProblem('architecture.toon', ' ')).toBe('is empty')
    expect(artefactProblem('critique.jsonl', '')).toBeUndefined()
  }) // C40, F47
})

describe('the artefacts of a phase', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'phase-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('count when they are regular files with valid content', () => {
    expect(artefactProblemIn(folder, 'reqs.jsonl')).toBe('is missing')
    writeFileSync(join(folder, 'reqs.jsonl'), VALID.reqs!)
    expect(artefactProblemIn(folder, 'reqs.jsonl')).toBeUndefined()
    symlinkSync('reqs.jsonl', join(folder, 'research.jsonl'))
    mkdirSync(join(folder, 'critique.jsonl'))
    expect(artefactProblemIn(folder, 'research.jsonl')).toBe('is missing')
    expect(artefactProblemIn(folder, 'critique.jsonl')).toBe('is missing')
    writeFileSync(join(folder, 'a.plan.jsonl'), 'x')
    writeFileSync(join(folder, 'b.plan.jsonl'), '')
    expect(artefactProblemIn(folder, '*.plan.jsonl')).toBe('b.plan.jsonl is empty')
    expect(artefactProblemIn(join(folder, 'none'), 'reqs.jsonl')).toBe('is missing')
  }) // C40, C75
})

it.each([
  ['*.plan.jsonl', '03-01.plan.jsonl', true],
  ['*.plan.jsonl', '.plan.jsonl', true],
  ['*.plan.jsonl', '03-01.plan.json', false],
  ['reqs.jsonl', 'xreqs.jsonl', false],
  ['a*b*c', 'a-b-c', true],
  ['a*b*c', 'ac', false],
  ['a*a', 'a', false],
])('the pattern %s matches %s: %s', (pattern, name, isMatch) => {
  expect(matchesArtefact(pattern, name)).toBe(isMatch)
})

it('gives a role the artefacts it reads and no others', () => {
  const names = ['reqs.jsonl', '03-02.plan.jsonl', '03-01.plan.jsonl', 'security-audit.jsonl']
  expect(artefactsFor(['*.plan.jsonl'], names)).toEqual(['03-01.plan.jsonl', '03-02.plan.jsonl'])
  expect(artefactsFor([], names)).toEqual([])
}) // C77
