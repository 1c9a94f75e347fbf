/** What a lead reads at the end of a conversation that was copied from another session. */
export function forkedText(from: string): string {
  return (
    `The conversation up to here was copied from the session ${from}. You are in a new session now: the teammates, tasks, mail and background jobs ` +
    'of that session are not here, and your board is empty. Do not wait for them, and do not continue their work unless you are asked to. Files may have changed since.'
  )
}

/** The result of a call that had none when the conversation was copied. */
export function callOfOtherSession(from: string): string {
  return `This call was made in the session ${from}, from which the conversation was copied before it had a result. It is not known whether it took effect.`
}
