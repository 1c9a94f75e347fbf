/** For the sender of an escalation, and the log. */
export function escalatedText(silent: string, seconds: number, to: string): string {
  return `${silent} did not answer the escalation within ${seconds} s, so it goes to ${to}.`
}

/** For the user: no member of the team is left to answer. */
export function escalationForUserText(from: string, level: string, issue: string): string {
  return `${from} escalates to ${level}: ${issue}`
}
