import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PlanSummary } from '../../team/plans/plan.ts'
import { artefactProblem } from './check-artefact.ts'
import { matchesArtefact } from './match.ts'
import { artefactProblemIn } from './phase-folder.ts'
import { ARTEFACTS } from './schemas.ts'
import { artefactsFor } from './scope.ts'
import { viewProblem } from './view-problem.ts'

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
  'test-results': lines({ plan: '03-01', dept: 'backend', phase: 'green', tc: 2, ps: 2, fl: 0, tasks: [] }),
  'user-flows': lines({ id: 'F1', name: 'login', steps: ['open', 'submit'] }),
}

describe('the check of an artefact', () => {
  it.each(Object.keys(ARTEFACTS))('accepts %s.jsonl as its role writes it, and refuses other lines', (name) => {
    expect(artefactProblem(`${name}.jsonl`, VALID[name]!)).toBeUndefined()
    expect(artefactProblem(`${name}.jsonl`, `${VALID[name]}\n`)).toBeUndefined()
    expect(artefactProblem(`${name}.jsonl`, '{"other":1}')).toMatch(/^line 1: "/)
    expect(artefactProblem(`${name}.jsonl`, '{')).toBe('line 1: is not JSON')
  }) // C40

  it('accepts every value of the formats that the source names, and refuses keys with another type', () => {
    const day = '2026-02-17'
    const inSource: Record<string, string> = {
      critique: lines({
        id: 'C1',
        cat: 'risk',
        sev: 'minor',
        q: 'q',
        ctx: 'c',
        sug: 's',
        st: 'deferred',
        cf: 80,
        rd: 2,
      }),
      research: lines({ q: 'q', src: 'codebase', finding: 'f', conf: 'low', dt: day, rel: 'r', brief_for: 'C1' }),
      reqs: lines({ id: 'REQ-01', t: 't', pri: 'nice', st: 'done', ac: 'a' }),
      verification: lines(
        { tier: 'deep', r: 'PARTIAL', ps: 1, fl: 1, tt: 2, dt: day },
        { c: 'c', r: 'warn', ev: 'e', cat: 'convention' },
      ),
      'qa-code': lines({ r: 'FAIL', tests: { ps: 1, fl: 1, sk: 0 }, lint: { err: 1, warn: 0 }, dt: day }),
      'code-review': lines({ plan: '01-01', r: 'approve', tdd: 'skip', cycle: 3, dt: day }, { ...finding, sev: 'nit' }),
      'security-audit': lines(
        { r: 'FAIL', findings: 1, critical: 0, dt: day },
        { cat: 'owasp', sev: 'high', f: 'src/a.ts', issue: 'i', fix: 'f' },
      ),
      gaps: lines({ id: 'G1', sev: 'major', desc: 'd', exp: 'e', act: 'a', st: 'accepted', res: 'r' }),
      'manual-qa': lines({ r: 'PASS', tests: [{ id: 'MQ-1', desc: 'd', r: 'pass', notes: '' }], dt: day }),
      'component-specs': lines(
        { name: 'A', desc: 'd', states: ['s'], status: 'deferred' },
        { name: 'B', desc: 'd', states: ['s'], props: [], tokens: [], a11y: {}, status: 'ready' },
      ),
    }
    for (const [name, text] of Object.entries(inSource))
      expect([name, artefactProblem(`${name}.jsonl`, text)]).toEqual([name, undefined])
    const audit = { r: 'PASS', findings: 0, critical: 0 }
    expect(artefactProblem('security-audit.jsonl', lines({ ...audit, dt: 5 }))).toContain('"dt"')
    expect(artefactProblem('gaps.jsonl', lines({ id: 'G1', sev: 'minor', desc: 'd', st: 'ignored' }))).toContain('"st"')
    expect(artefactProblem('component-specs.jsonl', inSource['component-specs']!.split('\n')[0]!)).toContain('"status"')
  }) // C40, F47

  it('looks at a file about one plan like at the artefact of that name', () => {
    const review = (plan: string) => lines({ plan, r: 'approve', cycle: 1 })
    expect(artefactProblem('03-02.code-review.jsonl', review('03-02'))).toBeUndefined()
    expect(artefactProblem('03-02.code-review.jsonl', review('03-01'))).toContain('the file is about 03-02')
    expect(artefactProblem('03-02.code-review.jsonl', '{"other":1}')).toMatch(/^line 1: "/)
    expect(artefactProblem('code-review.jsonl', `${review('03-01')}\n${review('03-02')}`)).toBeUndefined()
    expect(artefactProblem('code-review.jsonl', `${review('03-01')}\n{"plan":"03-02","r":"fine"}`)).toContain(
      'line 2: "r"',
    )
  }) // C40, C76

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

describe('a file that the runtime writes from the journal', () => {
  const plans = [
    { id: '03-01', summary: { s: 'complete' } as PlanSummary },
    { id: '03-02', summary: null },
  ]
  const handOffFiles = ['perf.jsonl', 'load-{department}.json']
  const known = { plans, handOffFiles, isRecorded: (file: string) => file === 'api-contracts.jsonl' }
  it('counts by the journal, whatever is in the folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'phase-'))
    for (const name of ['03-02.summary.jsonl', '.handoff-ux-complete', 'design-handoff.jsonl'])
      writeFileSync(join(folder, name), '{"s":"complete"}')
    expect(viewProblem('*.summary.jsonl', known)).toEqual({ problem: 'is missing of plan 03-02' })
    expect(viewProblem('03-01.summary.jsonl', known)).toEqual({ problem: undefined })
    expect(viewProblem('*.summary.jsonl', { ...known, plans: [] })).toEqual({ problem: 'is missing' })
    expect(viewProblem('design-handoff.jsonl', known)?.problem).toContain('not recorded')
    expect(viewProblem('.handoff-ux-complete', known)?.problem).toContain('not recorded')
    expect(viewProblem('api-contracts.jsonl', known)).toEqual({ problem: undefined })
    expect(viewProblem('reqs.jsonl', known)).toBeUndefined()
    expect(artefactProblemIn(folder, '*.jsonl'), 'no pattern matches them either').toBe('is missing')
    rmSync(folder, { recursive: true })
  }) // C71, F47

  it('is also each file of a hand-off that the organisation adds', () => {
    const folder = mkdtempSync(join(tmpdir(), 'phase-'))
    for (const name of ['perf.jsonl', 'Perf.JSONL', 'load-backend.json']) {
      writeFileSync(join(folder, name), '{"p95":1}\n')
      expect(viewProblem(name, known)?.problem, name).toContain('not recorded')
      expect(artefactProblemIn(folder, name, { handOffFiles }), name).toBe('is missing')
      expect(artefactProblemIn(folder, name), 'another organisation').toBeUndefined()
    }
    for (const name of ['perfxjsonl', 'my-perf.jsonl', 'load-.json'])
      expect(viewProblem(name, known), name).toBeUndefined()
    rmSync(folder, { recursive: true })
  }) // C30, C71
})

it.each([
  ['*.plan.jsonl', '03-01.plan.jsonl', true],
  ['*.plan.jsonl', '.plan.jsonl', true],
  ['*.plan.jsonl', '03-01.plan.json', false],
  ['reqs.jsonl', 'xreqs.jsonl', false],
  ['code-review.jsonl', '03-01.code-review.jsonl', true],
  ['code-review.jsonl', '3-1.code-review.jsonl', false],
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
