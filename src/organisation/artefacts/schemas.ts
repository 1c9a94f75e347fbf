import { z } from 'zod'

const text = z.string().refine((value) => value.trim() !== '', 'is empty')
const count = z.number().int().min(0)
const severity = z.enum(['critical', 'major', 'minor'])
const passed = z.enum(['PASS', 'FAIL', 'PARTIAL'])
const line = z.number().int().min(0)
const finding = z.looseObject({ f: text, ln: line, sev: severity, issue: text })

/** One artefact of a phase in JSON lines: some begin with a line that sums up, the others follow. */
export interface ArtefactSchema {
  readonly head?: z.ZodType
  readonly line: z.ZodType
  /** Without it a file without lines does not count. */
  readonly mayBeEmpty?: true
}

/**
 * The artefacts that a step leaves, by their name without `.jsonl`, with the short keys of the source documents. Further
 * keys are allowed: roles add what they need.
 */
export const ARTEFACTS: Readonly<Record<string, ArtefactSchema>> = {
  critique: { line: z.looseObject({ id: text, cat: text, sev: severity, q: text }), mayBeEmpty: true },
  research: { line: z.looseObject({ q: text, src: text, finding: text }) },
  reqs: { line: z.looseObject({ id: text, t: text }) },
  'test-plan': { line: z.looseObject({ id: text, tf: z.array(text), tc: count, red: z.boolean() }) },
  verification: {
    head: z.looseObject({ tier: text, r: passed, ps: count, fl: count, tt: count }),
    line: z.looseObject({ c: text, r: z.enum(['pass', 'fail', 'partial']), ev: text }),
  },
  'qa-code': {
    head: z.looseObject({ r: passed, tests: z.looseObject({ ps: count, fl: count }) }),
    line: finding,
  },
  'code-review': {
    head: z.looseObject({ plan: text, r: z.enum(['approve', 'changes_requested']), cycle: z.number().int().min(1) }),
    line: finding,
  },
  'security-audit': {
    head: z.looseObject({ r: z.enum(['PASS', 'FAIL', 'WARN']), findings: count, critical: count }),
    line: z.looseObject({ cat: text, sev: severity, issue: text }),
  },
  gaps: {
    line: z.looseObject({ id: text, sev: severity, desc: text, st: z.enum(['open', 'fixed']) }),
    mayBeEmpty: true,
  },
  decisions: {
    line: z.looseObject({ ts: text, agent: text, task: text, dec: text, reason: text, alts: z.array(z.string()) }),
    mayBeEmpty: true,
  },
  'manual-qa': { line: z.looseObject({ id: text, r: z.enum(['pass', 'fail', 'skip']) }) },
  'design-tokens': { line: z.looseObject({ cat: text, name: text, val: z.union([text, z.number()]) }) },
  'component-specs': {
    line: z.looseObject({ name: text, desc: text, states: z.array(text).min(1), status: z.literal('ready') }),
  },
  'user-flows': { line: z.looseObject({ id: text, name: text, steps: z.array(z.unknown()).min(1) }) },
}
