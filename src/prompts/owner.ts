/** What the owner of an organisation is told at the beginning of a run. */
export function ownerPromptText(about: {
  readonly phase: string
  /** In their order, each with its departments. */
  readonly waves: readonly (readonly string[])[]
  readonly conflicts: readonly string[]
  readonly situation: string
}): string {
  const waves = about.waves.map((names, i) => `${i + 1}. ${names.join(' and ')}`).join('\n')
  return [
    `You own the phase ${about.phase}. Its departments, in waves; a wave begins when the gates of the one before are passed:`,
    waves,
    ...(about.conflicts.length > 0 ? [`When departments disagree: ${about.conflicts.join('; ')}.`] : []),
    about.situation,
    'Review the phase first: priorities, and the order of its departments. Then run the departments, look at the gates, and sign off: SHIP only if everything is complete, else HOLD. What you cannot decide goes to the user. Your last words are for the user.',
  ].join('\n\n')
}

/** What each tool of an owner does. */
export const OWNER_TOOLS = {
  run_departments:
    'Runs departments at the same time until each is complete or stopped, and reports how each ended. Only departments of a wave whose earlier gates are passed can run. Run a failed one again to continue it at its step.',
  review_phase:
    'Writes your owner_review for the leads: what matters most in this phase, and the order in which its departments begin, each once and no department of a later wave first.',
  check_gates: 'Says which gates of the phase are passed, and everything that the others wait for.',
  escalate_to_user:
    'Asks the user to decide, with evidence and a recommendation. The run ends after your turn; the user answers by changing something and running it again.',
  sign_off:
    'Writes your owner_signoff, which ends the phase. SHIP is accepted only if every department is complete and every gate is passed.',
} as const
