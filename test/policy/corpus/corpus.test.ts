import { describe, expect, it } from 'vitest'
import { runAttack, shown } from './attack.ts'
import { type Attack, readAttacks } from './read-lines.ts'
import type { RuleSetName } from './rule-sets.ts'
import { bubblewrap, withSlots } from './slot.ts'

const attacks = readAttacks()

describe('the attack corpus', () => {
  it('holds more than 600 different attacks', () => {
    expect(new Set(attacks.map(({ rules, text }) => `${rules} ${text}`)).size).toBe(attacks.length)
    expect(attacks.length).toBeGreaterThan(600)
  })

  it('breaks no promise of a rule set when the allowed lines run', async () => {
    const outcomes = await withSlots(4, attacks, (attack, slot) => runAttack(attack, slot))
    console.log(`attacks: ${attacks.length}, really run: ${outcomes.filter(({ ran }) => ran > 0).length}`)
    expect(outcomes.filter(({ broken }) => broken.length > 0).map(shown)).toEqual([])
  }, 600_000) // T1, T2, T5, T6, T11, T12, T13, T17

  /** One of each kind: run without a judge they do have their effect, so the promises are really looked at. */
  const samples: [RuleSetName, string][] = [
    ['npm-test', "for RANDOM in 'a[$(touch PWNED)]'; do true; done"],
    ['read', 'for PATH in ./evil; do ls; done'],
    ['git', 'git config alias.x "!touch PWNED" ⏵ git x'],
    ['git', 'git --git-dir=bare x'],
    ['write', 'echo x > src/log.txt'],
    ['write', 'echo x > src/hooks/pre-commit'],
    ['write', 'echo x > package.json'],
    ['text', "tar xf data/evil.tar --to-com='touch %ROOT%/PWNED'"],
    ['deny-rm', 'time { rm precious.txt; }'],
    ['deny-read', 'cat /proc/self/cwd/.env'],
    ['deny-read', 'base64 .env'],
    ['deny-read', 'rev secrets/key'],
    ['deny-read', 'git stash -u'],
    ['deny-write', 'mv infra elsewhere'],
    ['deny-push', 'git push -q origin main'],
  ]
  const UNBOXED = 'bubblewrap is missing, and attacks do not run here with nothing to judge or keep them'
  it('detects every kind of effect when lines run without being judged', async ({ skip }) => {
    skip(!bubblewrap(), UNBOXED)
    const unjudged: Attack[] = samples.map(([rules, text]) => ({ file: 'sample', rules, text }))
    const outcomes = await withSlots(2, unjudged, (attack, slot) => runAttack(attack, slot, { judged: false }))
    expect(outcomes.filter(({ broken }) => broken.length === 0).map(shown)).toEqual([])
  })

  it('has an effect with most lines when they run without being judged', async ({ skip }) => {
    skip(!bubblewrap(), UNBOXED)
    // All of them in a soak, every hundredth otherwise.
    const tried = process.env.DESKMATES_SOAK === '1' ? attacks : attacks.filter((_, i) => i % 100 === 0)
    const outcomes = await withSlots(4, tried, (attack, slot) =>
      runAttack(attack, slot, { judged: false, timeout: 3_000 }),
    )
    const effective = outcomes.filter(({ broken }) => broken.length > 0).length
    console.log(`attacks with an effect when nothing judges them: ${effective} of ${tried.length}`)
    expect(effective).toBeGreaterThan(tried.length / 2)
  }, 1_800_000)
})
