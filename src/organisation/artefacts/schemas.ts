import { z } from 'zod'

const text = z.string().refine((value) => value.trim() !== '', 'is empty')
const count = z.number().int().min(0)
/** In findings of audits the source documents say high, medium and low, and in comments on code also nit. */
const severity = z.enum(['critical', 'high', 'major', 'medium', 'minor', 'low', 'nit'])
const passed = z.enum(['PASS', 'FAIL', 'PARTIAL'])
const line = z.number().int().min(0)
const note = z.string().optional()
const day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d/, 'is not a date like 2026-02-17')
  .optional()
const finding = z.looseObject({ f: text, ln: line, sev: severity, issue: text, sug: note })
const tests = z.looseObject({ ps: count, fl: count, sk: count.optional() })

/** One artefact of a phase in JSON lines: some begin with a line that sums up, the others follow. */
export interface ArtefactSchema {
  readonly head?: z.ZodType
  readonly line: z.ZodType
  /** Without it a file without lines does not count. */
  readonly mayBeEmpty?: true
  /** One line at least must be like this. */
  readonly one?: z.ZodType
}

/**
 * The artefacts that a step leaves, by their name without `.jsonl`, with the keys and values of the source's artefact
 * formats. Required is what a decision needs: ids, verdicts, counts and what a finding says. The other keys may be left
 * out, but have the type that they have there; further keys are allowed: roles add what they need.
 */
export const ARTEFACTS: Readonly<Record<string, ArtefactSchema>> = {
  critique: {
    line: z.looseObject({
      ...{ id: text, cat: text, sev: severity, q: text, ctx: note, sug: note },
      st: z.enum(['open', 'addressed', 'deferred', 'rejected']).optional(),
    }),
    mayBeEmpty: true,
  },
  research: {
    line: z.looseObject({
      ...{ q: text, src: text, finding: text, dt: day, rel: note },
      conf: z.enum(['high', 'medium', 'low']).optional(),
    }),
  },
  reqs: {
    line: z.looseObject({
      ...{ id: text, t: text, ac: z.union([z.string(), z.array(z.string())]).optional() },
      pri: z.enum(['must', 'should', 'nice']).optional(),
      st: z.enum(['open', 'done']).optional(),
    }),
  },
  'test-plan': { line: z.looseObject({ id: text, tf: z.array(text), tc: count, red: z.boolean(), desc: note }) },
  'test-results': {
    line: z.looseObject({ plan: text, phase: z.enum(['red', 'green']), tc: count, ps: count, fl: count, dt: day }),
  },
  verification: {
    head: z.looseObject({ tier: text, r: passed, ps: count, fl: count, tt: count, dt: day }),
    line: z.looseObject({ c: text, r: z.enum(['pass', 'fail', 'warn', 'partial']), ev: text, cat: note }),
  },
  'qa-code': {
    head: z.looseObject({
      ...{ r: passed, tests, dt: day },
      lint: z.looseObject({ err: count.optional(), warn: count.optional() }).optional(),
    }),
    line: finding,
  },
  'code-review': {
    head: z.looseObject({
      ...{ plan: text, r: z.enum(['approve', 'changes_requested']), cycle: z.number().int().min(1), dt: day },
      tdd: z.enum(['pass', 'fail', 'skip']).optional(),
    }),
    line: finding,
  },
  'security-audit': {
    head: z.looseObject({ r: z.enum(['PASS', 'FAIL', 'WARN']), findings: count, critical: count, dt: day }),
    line: z.looseObject({ cat: text, sev: severity, issue: text, f: note, fix: note }),
  },
  gaps: {
    line: z.looseObject({
      ...{ id: text, sev: severity, desc: text, exp: note, act: note, res: note },
      st: z.enum(['open', 'fixed', 'accepted']),
    }),
    mayBeEmpty: true,
  },
  decisions: {
    line: z.looseObject({ ts: text, agent: text, task: text, dec: text, reason: text, alts: z.array(z.string()) }),
    mayBeEmpty: true,
  },
  // One line that sums up the tests of a person, or one line for each of them.
  'manual-qa': {
    line: z.union([
      z.looseObject({ id: text, r: z.enum(['pass', 'fail', 'skip']), notes: note }),
      z.looseObject({ r: passed, dt: day, tests: z.array(z.looseObject({ id: text, r: z.enum(['pass', 'fail']) })) }),
    ]),
  },
  'design-tokens': {
    line: z.looseObject({ cat: text, name: text, val: z.union([text, z.number()]), sem: note, dk: note }),
  },
  'component-specs': {
    line: z.looseObject({
      name: text,
      desc: text,
      states: z.array(text).min(1),
      status: z.enum(['ready', 'deferred']),
    }),
    one: z.looseObject({ status: z.literal('ready') }),
  },
  'user-flows': { line: z.looseObject({ id: text, name: text, steps: z.array(z.unknown()).min(1) }) },
}
