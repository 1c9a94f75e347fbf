/** Who asks whom: the parts of the organisation that an escalation follows. */
export interface EscalationRules {
  /** From the lowest level to `user`. */
  readonly chain: readonly string[]
  /** Roles outside of the chain, each with the level it asks. */
  readonly joins: Readonly<Record<string, string>>
  /** Roles whose FAIL goes to the owner at once. */
  readonly bypass: readonly string[]
  readonly timeoutSeconds: number
}

export interface Escalation {
  readonly from: string
  readonly to: string
  readonly evidence: readonly string[]
  readonly recommendation: string
  /** The result of an audit, where that is the cause. */
  readonly result?: string
}

/** The role that a role asks; undefined above the last level. */
export function nextLevel({ chain, joins }: EscalationRules, role: string): string | undefined {
  const place = chain.indexOf(role)
  if (place >= 0) return chain[place + 1]
  return Object.hasOwn(joins, role) ? joins[role] : undefined
}

/** Why an escalation is refused; undefined where it is passed on. No level is skipped; a FAIL of security alone goes up at once. */
export function escalationProblem(rules: EscalationRules, escalation: Escalation): string | undefined {
  const { from, to, evidence, recommendation, result } = escalation
  if (evidence.every((entry) => entry.trim() === ''))
    return 'An escalation needs evidence: name what you saw, with files and output.'
  if (recommendation.trim() === '') return 'An escalation needs a recommendation: say what you would do.'
  const next = nextLevel(rules, from)
  const owner = rules.chain.at(-2)
  const isBypass = rules.bypass.includes(from) && result === 'FAIL' && to === owner
  if (to === next || isBypass) return undefined
  if (next === undefined) return `${from} is not in the escalation chain. Put it into "joins" of the organisation.`
  return `${from} escalates to ${next}, not to ${to}: no level is skipped. Send it to ${next}.`
}
