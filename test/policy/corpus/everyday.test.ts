import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hintFor } from '../../../src/permissions/rules/hints.ts'
import { decideByRules } from '../../../src/permissions/rules/policy.ts'
import { everydayUnder, SHORT_RULES } from '../everyday.ts'
import { policyOf } from './rule-sets.ts'
import { type Slot, withSlots } from './slot.ts'

const EVERYDAY = everydayUnder('short')
const policyIn = (slot: Slot, allow: readonly string[]) =>
  policyOf({ allow, deny: [], mode: 'default', guards: [] }, slot.root)
const decisionIn = (slot: Slot, allow: readonly string[], command: string) =>
  decideByRules('bash', { kind: 'run', tool: 'bash', command }, policyIn(slot, allow))

describe('everyday commands under the example rules', () => {
  it('pass (at least 54 of 60), and each other one gets a rule that allows it or a reason', async () => {
    expect(new Set(EVERYDAY).size).toBe(60)
    const decisions = await withSlots(1, EVERYDAY, async (command, slot) => {
      const ruled = decisionIn(slot, SHORT_RULES, command)
      const hinted = ruled.decision === 'allow' ? true : isHintRight(slot, command)
      return { command, ruled, hinted }
    })
    const refused = decisions.filter(({ ruled }) => ruled.decision !== 'allow')
    console.log(`everyday commands: ${60 - refused.length} of 60 pass`)
    for (const { command, ruled } of refused) console.log(`asked: ${JSON.stringify(command)}: ${ruled.why}`)
    expect(60 - refused.length).toBeGreaterThanOrEqual(54)
    expect(refused.filter(({ hinted }) => !hinted).map(({ command, ruled }) => `${command}: ${ruled.why}`)).toEqual([])
  }) // T36

  it('are the rules that docs/settings.md shows', () => {
    const docs = readFileSync(join(import.meta.dirname, '../../../docs/settings.md'), 'utf8')
    for (const rule of SHORT_RULES) expect(docs).toContain(`"${rule}"`)
  }) // T36
})

function isHintRight(slot: Slot, command: string): boolean {
  const { rules, advice } = hintFor({ kind: 'run', tool: 'bash', command }, policyIn(slot, SHORT_RULES))
  if (rules.length === 0) return advice.startsWith('No rule')
  return decisionIn(slot, [...SHORT_RULES, ...rules], command).decision === 'allow'
}
