import { type Attack, commandsOf } from './read-lines.ts'
import { isAllowed, ruleSets } from './rule-sets.ts'
import type { Slot } from './slot.ts'

export interface Outcome {
  readonly attack: Attack
  /** How many of its commands ran. */
  readonly ran: number
  /** What the rules promise and the attack broke. */
  readonly broken: readonly string[]
}

/** Runs what the rules allow of an attack. `judged: false` runs all of it, to see that it is an attack. */
export async function runAttack(
  attack: Attack,
  slot: Slot,
  { judged = true, timeout = 10_000 } = {},
): Promise<Outcome> {
  const rules = ruleSets[attack.rules]
  let ran = 0
  let output = ''
  for (const command of commandsOf(attack.text, slot)) {
    if (judged && !isAllowed(command, rules, slot.root)) continue
    ran++
    output += (await slot.run(command, timeout)).output
  }
  return { attack, ran, broken: ran > 0 ? slot.broken(rules.guards, output) : [] }
}

export function shown({ attack, broken }: Outcome): string {
  return `${attack.file} [${attack.rules}] ${attack.text}   => ${broken.slice(0, 3).join(', ')}`
}
